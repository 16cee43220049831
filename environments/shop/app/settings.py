"""Django settings of the shop: django-oscar as it comes, on SQLite, on loopback, without a service.

Nothing here changes what oscar does; it only chooses storage, dates, sizes and names.
"""

import os
from pathlib import Path

import oscar
from oscar.defaults import *  # noqa: F403

HERE = Path(__file__).resolve().parent
DATA = Path(os.environ["SITE_DATA"])
BUILDING = bool(os.environ.get("SITE_BUILDING"))

SECRET_KEY = "a demo shop on loopback has no secret"
DEBUG = False
ALLOWED_HOSTS = ["127.0.0.1", "localhost"]
SITE_ID = 1
ROOT_URLCONF = "urls"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

INSTALLED_APPS = [*oscar.INSTALLED_APPS, "sorl.thumbnail"]
MIDDLEWARE = [
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "oscar.apps.basket.middleware.BasketMiddleware",
    "django.contrib.flatpages.middleware.FlatpageFallbackMiddleware",
]
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [str(HERE / "templates")],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.debug",
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.template.context_processors.i18n",
                "django.contrib.messages.context_processors.messages",
                "oscar.apps.search.context_processors.search_form",
                "oscar.apps.checkout.context_processors.checkout",
                "oscar.apps.communication.notifications.context_processors.notifications",
                "oscar.core.context_processors.metadata",
            ]
        },
    }
]

# IMMEDIATE and WAL: parallel writers wait for each other instead of failing with "locked".
DATABASES = {
    "default": {
        "ENGINE": "django.db.backends.sqlite3",
        "NAME": str(DATA / "shop.sqlite3"),
        "ATOMIC_REQUESTS": True,
        "CONN_MAX_AGE": None,
        "OPTIONS": {
            "timeout": 20,
            "transaction_mode": "IMMEDIATE",
            "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF;",
        },
    }
}
if BUILDING:
    # A new database gets its tables from the models: 20 s of migrations would end there too.
    class _NoMigrations(dict):
        def __contains__(self, app):
            return True

        def __getitem__(self, app):
            return None

    MIGRATION_MODULES = _NoMigrations()
    HAYSTACK_SIGNAL_PROCESSOR = "haystack.signals.BaseSignalProcessor"

HAYSTACK_CONNECTIONS = {
    "default": {
        "ENGINE": "haystack.backends.whoosh_backend.WhooshEngine",
        "PATH": str(DATA / "whoosh"),
    }
}
AUTHENTICATION_BACKENDS = (
    "oscar.apps.customer.auth_backends.EmailBackend",
    "django.contrib.auth.backends.ModelBackend",
)
# Cheap on purpose: the accounts are public, and a login must not cost half a second of CPU.
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
SESSION_COOKIE_AGE = 20 * 365 * 24 * 3600
EMAIL_BACKEND = "django.core.mail.backends.dummy.EmailBackend"

STATIC_URL = "/static/"
WHITENOISE_USE_FINDERS = True
MEDIA_URL = "/media/"
MEDIA_ROOT = str(DATA / "media")

USE_TZ = True
TIME_ZONE = "UTC"
USE_I18N = True
LANGUAGE_CODE = "en-us"
LANGUAGES = [("en-us", "English")]

OSCAR_SHOP_NAME = "Larkspur Supply"
OSCAR_SHOP_TAGLINE = "Useful things for home and trail"
OSCAR_DEFAULT_CURRENCY = "USD"
OSCAR_FROM_EMAIL = "orders@shop.test"
OSCAR_IMAGE_FOLDER = "images/products/"
OSCAR_PRODUCTS_PER_PAGE = 12
OSCAR_DASHBOARD_ITEMS_PER_PAGE = 15
OSCAR_ORDERS_PER_PAGE = 10
OSCAR_REVIEWS_PER_PAGE = 10
OSCAR_ALLOW_ANON_CHECKOUT = True
OSCAR_INITIAL_ORDER_STATUS = "Pending"
OSCAR_INITIAL_LINE_STATUS = "Pending"
OSCAR_ORDER_STATUS_PIPELINE = {
    "Pending": ("Processing", "Cancelled"),
    "Processing": ("Shipped", "Cancelled"),
    "Shipped": ("Complete",),
    "Cancelled": (),
    "Complete": (),
}
OSCAR_LINE_STATUS_PIPELINE = OSCAR_ORDER_STATUS_PIPELINE
OSCAR_ORDER_STATUS_CASCADE = {
    status: status for status in ("Processing", "Shipped", "Complete", "Cancelled")
}
LOGGING = {"version": 1, "disable_existing_loggers": False}
