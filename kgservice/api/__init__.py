"""The service over HTTP: kgservice.api.app.create_app."""
