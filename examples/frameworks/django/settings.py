"""A minimal project."""
import os

from django.urls import path

SECRET_KEY = 'unused'
ALLOWED_HOSTS = ['*']
ROOT_URLCONF = __name__
INSTALLED_APPS = ['shop']
DEFAULT_AUTO_FIELD = 'django.db.models.BigAutoField'
DATABASES = {'default': {'ENGINE': 'django.db.backends.postgresql',
                         'HOST': os.environ.get('PGHOST'),
                         'PORT': os.environ.get('PGPORT'),
                         'USER': os.environ.get('PGUSER'),
                         'NAME': os.environ.get('PGDATABASE')}}


def __getattr__(name):
    """Import the views late: they import models, which need these settings."""
    if name != 'urlpatterns':
        raise AttributeError(name)
    from shop import views
    return [path('page/<int:user_id>', views.page),
            path('clicked/<int:decision>/<int:item>', views.clicked)]
