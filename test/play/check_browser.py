"""Test the page of "make play" in a headless Chromium."""

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
MAX_CONTROL = 20        # successive visitors of the control group

tap = Tap()


class Page:
    """The page in the tabs of a browser."""

    def __init__(self, driver, url):
        self.driver = driver
        self.url = url
        self.open()

    def open(self):
        """Open the page in the current tab."""
        self.driver.get(self.url)
        self.ready()

    def open_tab(self):
        """Open the page in a new tab; return the tab."""
        self.driver.switch_to.new_window('tab')
        self.open()
        return self.driver.current_window_handle

    def leave_control(self):
        """Open tabs until a visitor is not in the control group; return the tab."""
        for _ in range(MAX_CONTROL):
            if 'control group' not in self.text('#treatment'):
                break
            self.open_tab()
        return self.driver.current_window_handle

    def ready(self):
        """Wait for an answer of the server."""
        self.wait(lambda: self.find('#films li button')
                  and self.find('#next')[0].is_enabled())

    def wait(self, condition):
        """Wait until a condition holds."""
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
        """Ask for the next page that is not random."""
        self.click(self.find('#next')[0])
        if 'are random' in self.text('#treatment'):
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
        """Like all films of a genre until two pages have at least seven of them.

        Return the number of films of the genre on the last page.
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
        """Return the titles of the visitor's likes."""
        return [chip.text for chip in self.find('#liked li')]

    def pressed(self):
        """Return the titles of the liked films on the page."""
        return [film.text for film in
                self.find('#films [aria-pressed="true"] .title')]

    def statements(self):
        """Return the shown statements by name."""
        return {figure.get_attribute('data-name'):
                figure.find_element(By.TAG_NAME, 'pre').text
                for figure in self.find('#executed figure')}


def check(driver, url):
    """Test a running program."""
    page = Page(driver, url)
    check_looks(page)
    first = page.leave_control()
    animation = page.likes('Animation')
    tap.ok(animation >= 7, 'a visitor who likes Animation gets pages of this genre',
           page.films())
    visitor, liked = page.text('#visitor'), page.liked()

    page.open_tab()
    tap.ok(page.text('#visitor') != visitor and not page.liked(),
           'a new tab is a new visitor', page.text('#visitor'))
    page.leave_control()
    western = page.likes('Western')
    tap.ok(western >= 7, 'a visitor who likes Western gets pages of this genre', page.films())
    tap.ok(len(page.of('Animation')) <= 3, 'likes of one visitor do not change the pages of another',
           page.films())

    driver.switch_to.window(first)
    check_reload(page, visitor, liked)
    check_statements(page)
    check_keyboard(page)
    check_robots(page)
    complaints = driver.get_log('browser')
    tap.ok(not complaints, 'the browser logs no errors',
           complaints)


def check_looks(page):
    """Test the parts of the page, their names, and the layout."""
    tap.ok(len(page.films()) == 10, 'the page has ten films', page.films())
    reasons = [reason.text for reason in page.find('#films .explanation')]
    tap.ok(all('what others watched' in reason and '±' not in reason
               for reason in reasons),
           'explanations name no errors before the first reward', reasons)
    tap.ok(page.find('#genres svg') and page.find('#pages svg'),
           'the page has charts')
    tap.ok('ratio to control' in page.text('#report'), 'the page has a report')
    page.find('summary')[0].click()
    unnamed = [element.get_attribute('outerHTML') for element in
               page.find('button, select, svg[role=img]')
               if not element.accessible_name]
    tap.ok(not unnamed, 'each control has an accessible name', unnamed)
    page.find('summary')[0].click()
    for width in (1280, 400):
        page.driver.set_window_size(width, 1000)
        tap.ok(page.driver.execute_script(
            'return document.documentElement.scrollWidth'
            ' <= document.documentElement.clientWidth'),
            f'a window {width} pixels wide needs no horizontal scrolling')
    page.driver.set_window_size(1280, 1000)


def check_reload(page, visitor, liked):
    """Test a reload of the page."""
    for button in page.of('Animation'):
        page.click(button)
    films, pressed = page.films(), page.pressed()
    page.driver.refresh()
    page.ready()
    tap.ok(page.text('#visitor') == visitor, 'the visitor is the same after a reload',
           page.text('#visitor'))
    tap.ok(page.films() == films and page.pressed() == pressed
           and pressed, 'a reload shows the same page', page.films())
    tap.ok(page.liked() == pressed[::-1] + liked, 'a reload shows the same likes',
           page.liked())
    page.next()
    tap.ok(len(page.of('Animation')) > len(page.of('Western')),
           'likes before a reload change the pages after it', page.films())
    reasons = [reason.text for reason in page.find('#films .explanation')]
    tap.ok(all('expected' in reason and '±' in reason
               and 'probability' in reason for reason in reasons),
           'explanations have expected reward, error and probability', reasons)
    nearest = [reason.text for reason in page.find('#films .explanation b:last-child')]
    tap.ok(any(title in text for title in page.liked() for text in nearest),
           'explanations name similar films among the likes', nearest)


def check_statements(page):
    """Test the statements that the page shows, and their copies."""
    shown = page.statements()
    tap.ok(list(shown) == ['learn', 'decide', 'explain']
           and f"home.recommend('{page.text('#visitor')}', 10)"
           in shown['decide'], 'the page shows the executed statements with their values', shown)
    page.driver.execute_cdp_cmd('Browser.grantPermissions', {
        'permissions': ['clipboardReadWrite', 'clipboardSanitizedWrite']})
    copy = page.find('#executed figure[data-name=explain] button')[0]
    copy.click()
    page.wait(lambda: copy.text != 'Copy')
    copied = page.driver.execute_async_script(
        'navigator.clipboard.readText().then(arguments[0],'
        ' () => arguments[0](String(getSelection())))')
    with program.database() as cursor:
        cursor.execute(copied)
        titles = [row[1] for row in cursor.fetchall()]
    tap.ok(titles == page.films(), 'a copied statement can be executed', copied)
    film = page.find('#films li button')[0]
    page.click(film)
    tap.ok(next(iter(page.statements())) == 'like',
           'the statement of a like comes first', page.statements())


def check_keyboard(page):
    """Test likes by keyboard."""
    film = page.find('#films li button')[1]
    page.driver.execute_script('arguments[0].focus()', film)
    for expected in ('true', 'false'):
        film.send_keys(Keys.ENTER)
        tap.ok(page.wait(lambda: film.get_attribute('aria-pressed')
                         == expected),
               f'the enter key sets liked to {expected}')
        page.ready()


def check_robots(page):
    """Test robots: switched on, with another taste, and switched off."""
    def most_liked():
        return page.text('#genres svg text')

    switch, taste = page.find('#robots')[0], page.find('#taste')[0]
    taste.send_keys('Horror')
    switch.click()
    tap.ok(page.wait(lambda: switch.get_attribute('aria-pressed') == 'true'),
           'robots can be switched on')
    tap.ok(page.wait(lambda: most_liked() == 'Horror'),
           'the chart shows the taste of the robots')
    taste.send_keys('Musical')
    tap.ok(page.wait(lambda: most_liked() == 'Musical'),
           'the chart follows a change of taste')
    switch.click()
    tap.ok(page.wait(lambda: switch.get_attribute('aria-pressed') == 'false'),
           'robots can be switched off')
    learned = page.text('#facts dd')
    time.sleep(0.5)     # wait for the last robot's page
    page.driver.refresh()
    page.ready()
    before = page.text('#crowd'), page.text('#facts dd')
    time.sleep(3)
    tap.ok((page.text('#crowd'), page.text('#facts dd')) == before
           and int(learned.replace(',', '')) > 100, 'robots make no visits when they are switched off',
           before)


def browser():
    """Return a headless Chromium."""
    options = webdriver.ChromeOptions()
    options.binary_location = BROWSER
    # Containers lack the rights for Chromium's sandbox, and the only page is ours.
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
                By.ID, 'problem').text), 'the page says when the server has stopped')
    finally:
        driver.quit()
tap.plan()
sys.exit(int(tap.failed))
