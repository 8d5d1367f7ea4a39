"""The Chalice application: makes it, registers the interfaces, and nothing else."""

from chalicelib.faces import admin, memnet
from chalicelib.faces.application import Application

app = Application(app_name="reverie")
app.register_blueprint(memnet.routes)
app.register_blueprint(admin.routes)
