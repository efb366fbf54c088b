"""Find the data: in a given folder, in a default folder, or by a download."""

import http.client
import io
import os
import threading
import urllib.request
import zipfile
from pathlib import Path

from bench.program import UserError

CHECKOUT = Path(__file__).resolve().parents[1]
NEARBY = CHECKOUT.parent / 'shared' / 'data' / 'movielens-latest-small'
URL = 'https://files.grouplens.org/datasets/movielens/ml-latest-small.zip'
LICENCE = ('MovieLens, licensed for research, not for commercial use. Cite '
           'Harper and\nKonstan 2015, https://doi.org/10.1145/2827872')
FILES = ('ratings.csv', 'movies.csv', 'README.txt')
CONNECT_SECONDS = 5
DOWNLOAD_SECONDS = 20


def find_folder():
    """Return the folder of the data; raise UserError if there is none."""
    named = os.environ.get('DATA')
    if named:
        return Path(named)
    if NEARBY.is_dir():
        return NEARBY
    cache = os.environ.get('XDG_CACHE_HOME') or Path.home() / '.cache'
    folder = Path(cache) / 'dlints' / 'movielens-latest-small'
    if not all((folder / name).is_file() for name in FILES):
        print(f'Downloading {URL}')
        archive = _download()
        folder.mkdir(parents=True, exist_ok=True)
        _unpack(archive, folder)
    return folder


def _download():
    """Return the archive's bytes; give up after DOWNLOAD_SECONDS."""
    answer = {'error': f'no answer in {DOWNLOAD_SECONDS} s'}

    def fetch():
        try:
            with urllib.request.urlopen(URL, timeout=CONNECT_SECONDS) as reply:
                answer['archive'] = reply.read()
        except (OSError, http.client.HTTPException) as error:
            answer['error'] = getattr(error, 'reason', error)

    # A name lookup has no timeout of its own, hence the thread.
    thread = threading.Thread(target=fetch, daemon=True)
    thread.start()
    thread.join(DOWNLOAD_SECONDS)
    if 'archive' not in answer:
        raise UserError(f'the download failed: {answer["error"]}')
    return answer['archive']


def _unpack(archive, folder):
    """Write the archive's files into the folder."""
    try:
        with zipfile.ZipFile(io.BytesIO(archive)) as unpacked:
            for name in FILES:
                content = unpacked.read(f'ml-latest-small/{name}')
                (folder / name).write_bytes(content)
    except (zipfile.BadZipFile, KeyError):
        raise UserError('the download is not the expected archive') from None
