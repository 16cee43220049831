"""Addresses of the shop: oscar's own, and uploaded pictures."""

from django.apps import apps
from django.conf import settings
from django.db.transaction import non_atomic_requests
from django.urls import include, path, re_path
from django.views.static import serve

urlpatterns = [
    path("i18n/", include("django.conf.urls.i18n")),
    # A picture needs no transaction: with ATOMIC_REQUESTS each would wait for the write lock.
    re_path(
        r"^media/(?P<path>.*)$",
        non_atomic_requests(serve),
        {"document_root": settings.MEDIA_ROOT},
    ),
    path("", include(apps.get_app_config("oscar").urls[0])),
]
