"""As little of a project as there can be."""
import os

from django.urls import path

SECRET_KEY = 'of no use here'
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
    """Views want models, which want settings: they are read when asked for."""
    if name != 'urlpatterns':
        raise AttributeError(name)
    from shop import views
    return [path('page/<int:person>', views.page),
            path('clicked/<int:decision>/<int:item>', views.clicked)]
