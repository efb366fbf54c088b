# try_sqlalchemy.py upgrade|downgrade NAME | page USER: migrate, or show a page and click its first item.
import os
import sys

sys.path.insert(0, os.getcwd())

from alembic.config import main                                    # noqa: E402
from sqlalchemy import create_engine                               # noqa: E402
from sqlalchemy.orm import Session                                 # noqa: E402

if sys.argv[1] != 'page':
    main(['--raiseerr', *sys.argv[1:]])
else:
    import page
    with Session(create_engine('postgresql://')) as session, session.begin():
        shown = page.page(session, int(sys.argv[2]))
        page.clicked(session, shown[0].decision, shown[0].id)
        print(shown[0].decision, *(one.id for one in shown))
