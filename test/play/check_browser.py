"""Play with the page of "make play" in a headless Chromium."""

import sys
import time

import program
from tap import Tap
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys
from selenium.webdriver.support.wait import WebDriverWait

BROWSER = '/usr/bin/chromium'
DRIVER = '/usr/bin/chromedriver'
PATIENCE = 60           # seconds
LONGEST_VISIT = 30      # pages

tap = Tap()


class Page:
    """The page in the tabs of a browser."""

    def __init__(self, driver, url):
        self.driver = driver
        self.url = url
        self.open()

    def open(self):
        """Open the page in the present tab."""
        self.driver.get(self.url)
        self.ready()

    def open_tab(self):
        """Open the page in a tab of its own; return the tab."""
        self.driver.switch_to.new_window('tab')
        self.open()
        return self.driver.current_window_handle

    def ready(self):
        """Wait for an answer of the server."""
        self.wait(lambda: self.find('#films li button')
                  and self.find('#next')[0].is_enabled())

    def wait(self, condition):
        """Return whether something comes true in time."""
        return WebDriverWait(self.driver, PATIENCE, 0.05).until(
            lambda _: condition())

    def find(self, selector):
        """Return the elements that a CSS selector finds."""
        return self.driver.find_elements(By.CSS_SELECTOR, selector)

    def text(self, selector):
        """Return the text of the first such element, at once."""
        return self.driver.execute_script(
            'return document.querySelector(arguments[0]).textContent',
            selector)

    def click(self, element):
        """Click, and wait for the answer."""
        element.click()
        self.ready()

    def next(self):
        """Ask for the next page, and for another if that is by chance."""
        self.click(self.find('#next')[0])
        if 'random' in self.text('#arm'):
            self.next()

    def films(self):
        """Return the titles of the films on the page."""
        return [film.text for film in self.find('#films .title')]

    def of(self, genre):
        """Return the buttons of the films of a genre."""
        return [film.find_element(By.TAG_NAME, 'button')
                for film in self.find('#films li')
                if genre in film.get_attribute('data-genres').split('|')]

    def likes(self, genre):
        """Like all of a genre until pages are full of it, or for too long.

        Return how many of the last page's ten films are of that genre.
        """
        full = 0
        for _ in range(LONGEST_VISIT):
            buttons = self.of(genre)
            full += len(buttons) >= 7
            if full == 2:
                break
            for button in buttons:
                self.click(button)
            self.next()
        return len(self.of(genre))

    def liked(self):
        """Return the titles of all the visitor liked."""
        return [chip.text for chip in self.find('#liked li')]

    def pressed(self):
        """Return the titles of the page's films that are liked."""
        return [film.text for film in
                self.find('#films [aria-pressed="true"] .title')]

    def statements(self):
        """Return the statements that are shown, by name."""
        return {figure.get_attribute('data-name'):
                figure.find_element(By.TAG_NAME, 'pre').text
                for figure in self.find('#executed figure')}


def check(driver, url):
    """Make all checks of a running program but for its end."""
    page = Page(driver, url)
    first = driver.current_window_handle
    check_looks(page)
    animation = page.likes('Animation')
    tap.ok(animation >= 7, 'who clicks animation gets animation',
           page.films())
    visitor, liked = page.text('#visitor'), page.liked()

    page.open_tab()
    tap.ok(page.text('#visitor') != visitor and not page.liked(),
           'another tab is another visitor', page.text('#visitor'))
    western = page.likes('Western')
    tap.ok(western >= 7, 'who clicks something else gets that', page.films())
    tap.ok(len(page.of('Animation')) <= 3, 'and not the first one\'s films',
           page.films())

    driver.switch_to.window(first)
    check_reload(page, visitor, liked)
    check_statements(page)
    check_keyboard(page)
    check_robots(page)
    complaints = driver.get_log('browser')
    tap.ok(not complaints, 'the browser has nothing to complain of',
           complaints)


def check_looks(page):
    """There are ten films, each with a reason, and all has a name."""
    tap.ok(len(page.films()) == 10, 'ten films', page.films())
    reasons = [reason.text for reason in page.find('#films .why')]
    tap.ok(all('By what others watched' in reason and '±' not in reason
               for reason in reasons),
           'nothing is said to be known before anything was clicked', reasons)
    tap.ok(page.find('#genres svg') and page.find('#pages svg'),
           'and charts')
    tap.ok('times the control' in page.text('#report'), 'and a report')
    page.find('summary')[0].click()
    unnamed = [element.get_attribute('outerHTML') for element in
               page.find('button, select, svg[role=img]')
               if not element.accessible_name]
    tap.ok(not unnamed, 'everything has a name', unnamed)
    page.find('summary')[0].click()
    for width in (1280, 400):
        page.driver.set_window_size(width, 1000)
        tap.ok(page.driver.execute_script(
            'return document.documentElement.scrollWidth'
            ' <= document.documentElement.clientWidth'),
            f'nothing sticks out where the window is {width} wide')
    page.driver.set_window_size(1280, 1000)


def check_reload(page, visitor, liked):
    """A reload changes nothing."""
    for button in page.of('Animation'):
        page.click(button)
    films, pressed = page.films(), page.pressed()
    page.driver.refresh()
    page.ready()
    tap.ok(page.text('#visitor') == visitor, 'still known after a reload',
           page.text('#visitor'))
    tap.ok(page.films() == films and page.pressed() == pressed
           and pressed, 'with the same page', page.films())
    tap.ok(page.liked() == pressed[::-1] + liked, 'and the same likes',
           page.liked())
    page.next()
    tap.ok(len(page.of('Animation')) > len(page.of('Western')),
           'which still count', page.films())
    reasons = [reason.text for reason in page.find('#films .why')]
    tap.ok(all('expected' in reason and '±' in reason
               and 'probability' in reason for reason in reasons),
           'each with what is expected and how likely it was', reasons)
    nearest = [reason.text for reason in page.find('#films .why b:last-child')]
    tap.ok(any(title in text for title in page.liked() for text in nearest),
           'and are named as reasons', nearest)


def check_statements(page):
    """The SQL is shown as it ran, and can be copied and run."""
    shown = page.statements()
    tap.ok(list(shown) == ['learn', 'decide', 'why']
           and f"home.recommend('{page.text('#visitor')}', 10)"
           in shown['decide'], 'the SQL that ran, with its values', shown)
    page.driver.execute_cdp_cmd('Browser.grantPermissions', {
        'permissions': ['clipboardReadWrite', 'clipboardSanitizedWrite']})
    copy = page.find('#executed figure[data-name=why] button')[0]
    copy.click()
    page.wait(lambda: copy.text != 'Copy')
    copied = page.driver.execute_async_script(
        'navigator.clipboard.readText().then(arguments[0],'
        ' () => arguments[0](String(getSelection())))')
    with program.database() as cursor:
        cursor.execute(copied)
        titles = [row[1] for row in cursor.fetchall()]
    tap.ok(titles == page.films(), 'a copied statement runs', copied)
    film = page.find('#films li button')[0]
    page.click(film)
    tap.ok(next(iter(page.statements())) == 'like',
           'that of a like comes first', page.statements())


def check_keyboard(page):
    """The keyboard does what the mouse does."""
    film = page.find('#films li button')[1]
    page.driver.execute_script('arguments[0].focus()', film)
    for expected in ('true', 'false'):
        film.send_keys(Keys.ENTER)
        tap.ok(page.wait(lambda: film.get_attribute('aria-pressed')
                         == expected),
               f'the enter key: liked is {expected}')
        page.ready()


def check_robots(page):
    """Robots play the crowd, like their taste, and stop."""
    def most_liked():
        return page.text('#genres svg text')

    switch, taste = page.find('#robots')[0], page.find('#taste')[0]
    taste.send_keys('Horror')
    switch.click()
    tap.ok(page.wait(lambda: switch.get_attribute('aria-pressed') == 'true'),
           'robots can be switched on')
    tap.ok(page.wait(lambda: most_liked() == 'Horror'),
           'the chart shows what they like')
    taste.send_keys('Musical')
    tap.ok(page.wait(lambda: most_liked() == 'Musical'),
           'and that it changes')
    switch.click()
    tap.ok(page.wait(lambda: switch.get_attribute('aria-pressed') == 'false'),
           'robots can be switched off')
    learned = page.text('#facts dd')
    time.sleep(0.5)     # the page on its way
    page.driver.refresh()
    page.ready()
    before = page.text('#crowd'), page.text('#facts dd')
    time.sleep(3)
    tap.ok((page.text('#crowd'), page.text('#facts dd')) == before
           and int(learned.replace(',', '')) > 100, 'and then stay away',
           before)


def browser():
    """Return a headless Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    # Its sandbox wants rights that containers do not have; it sees no
    # page but ours.
    for argument in ('--headless=new', '--no-sandbox', '--disable-gpu',
                     '--disable-dev-shm-usage', '--window-size=1280,1000'):
        options.add_argument(argument)
    options.set_capability('goog:loggingPrefs', {'browser': 'ALL'})
    return webdriver.Chrome(service=Service(DRIVER), options=options)


with program.running() as (process, url, _):
    driver = browser()
    try:
        check(driver, url)
        program.interrupt(process)
        tap.ok(WebDriverWait(driver, PATIENCE).until(
            lambda _: 'still running' in driver.find_element(
                By.ID, 'problem').text), 'the page says when it is over')
    finally:
        driver.quit()
tap.plan()
sys.exit(int(tap.failed))
