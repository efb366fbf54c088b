# try_django.py migrate NAME | page USER: migrate, or show a page and click its first item.
import json
import os
import sys

os.environ['DJANGO_SETTINGS_MODULE'] = 'settings'
sys.path.insert(0, os.getcwd())

import django                                                      # noqa: E402
from django.core.management import call_command                    # noqa: E402
from django.test import Client                                     # noqa: E402

django.setup()
if sys.argv[1] == 'migrate':
    call_command('migrate', 'shop', sys.argv[2], verbosity=0)
else:
    client = Client()
    shown = json.loads(client.get(f'/page/{sys.argv[2]}').content)
    clicked = client.get('/clicked/{decision}/{item}'.format(**shown[0]))
    assert clicked.status_code == 204, clicked
    print(shown[0]['decision'], *(one['item'] for one in shown))
