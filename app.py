"""The Chalice application: makes it, registers the interfaces, and nothing else."""

from chalicelib.faces import admin, memnet
from chalicelib.faces.gateway import Gateway

app = Gateway(app_name="reverie")
app.register_blueprint(memnet.routes)
app.register_blueprint(admin.routes)
