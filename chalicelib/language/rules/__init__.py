"""Extraction of statements by rules, without a model: Chinese and English."""
