"""Which controls end a session or destroy something; ordinary writes must stay allowed."""

import pytest

from synthagent.records.page import Fingerprint, Node, Page, Ref
from synthagent.sites.policy import find_danger, is_destructive, is_signed_out


def control(name="", role="button", **more):
    return Node(depth=0, role=role, name=name, ref=Ref("1"), **more)


def marked(**attributes):
    found = tuple(attributes.items())
    return control(fingerprint=Fingerprint(role="button", name="", tag="button", attributes=found))


SIGN_OUT = [
    "Sign out", "Log out", "Logout", "Log off", "Sign Out (dana)", "Log out of all devices",
    "⏻ Log out", "⏻", "Switch account", "Abmelden", "Ausloggen", "Déconnexion", "Se déconnecter",
    "Cerrar sesión", "Esci", "Disconnetti", "Sair", "Terminar sessão", "Uitloggen", "Afmelden",
    "Wyloguj się", "Wyloguj", "Выйти", "Выход", "ログアウト", "サインアウト", "退出登录", "登出",
    "  LOG OUT  ", "Yes, log me out",
]  # fmt: skip
DESTRUCTIVE = [
    "Delete", "Delete this space", "Delete…", "Permanently delete", "Close account", "🗑", "🗑️",
    "Deactivate my account", "Cancel order", "Cancel my subscription", "Leave project",
    "Remove user", "Remove my account", "Pay now", "Pay $12.50", "Buy now", "Place your order",
    "Empty trash", "Erase all data", "Revoke", "Transfer ownership", "Yes, delete it",
    "Löschen", "Konto löschen", "Konto kündigen", "Jetzt bezahlen", "Bestellung stornieren",
    "Supprimer", "Supprimer le compte", "Annuler la commande", "Fermer mon compte",
    "Eliminar", "Eliminar cuenta", "Borrar todo", "Cancelar el pedido",
    "Elimina account", "Cancella", "Annulla ordine", "Excluir conta", "Apagar", "Encerrar conta",
    "Verwijderen", "Account verwijderen", "Account opzeggen", "Bestelling annuleren",
    "Usuń", "Usuń konto", "Anuluj zamówienie", "Zapłać",
    "Удалить", "Удалить аккаунт", "Отменить заказ", "Оплатить",
    "削除", "アカウントを削除する", "退会する", "今すぐ購入",
    "删除", "删除账户", "注销账号", "立即购买", "取消订单",
]  # fmt: skip
ORDINARY = [
    "", "Archive page", "Follow page", "Add to basket", "Add to cart", "Save", "Save address",
    "Write a review", "Submit", "Cancel", "Close", "×", "Remove", "Remove filter",
    "Remove from basket", "Clear search", "Sign in", "Sign up", "Log in", "Login history",
    "How to delete your history", "Undelete", "Log out of oak, 2 m: a bench",
    "Proceed to checkout", "Order history", "My orders", "Outdoors", "Payments", "Payer details",
    "Sign out of the box: an essay collection about everything and nothing at all, in two volumes",
    "Abbrechen", "Schließen", "Speichern", "In den Warenkorb", "Anmelden", "Ajouter au panier",
    "Annuler", "Se connecter", "Fermer", "Añadir al carrito", "Cancelar", "Cerrar",
    "Aggiungi al carrello", "Annulla", "Adicionar", "Toevoegen", "Annuleren", "Dodaj do koszyka",
    "Anuluj", "Войти", "Отмена", "カートに入れる", "ログイン", "キャンセル",
    "加入购物车", "登录", "取消", "Release notes", "Deleted items report",
]  # fmt: skip


@pytest.mark.parametrize("name", SIGN_OUT)
def test_signing_out_is_met_by_name(shop, name):
    danger = find_danger(control(name, role="link"), shop)
    assert danger is not None
    assert danger.kind == "sign_out"


@pytest.mark.parametrize("name", DESTRUCTIVE)
def test_destroying_is_met_by_name(shop, name):
    danger = find_danger(control(name), shop)
    assert danger is not None
    assert danger.kind == "destructive"
    assert name.strip() in danger.reason


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_controls_stay_allowed(shop, name):
    assert is_destructive(control(name), shop) is None


@pytest.mark.parametrize(
    ("href", "kind"),
    [
        ("http://shop.test/accounts/logout/", "sign_out"),
        ("http://wiki.test/index.php?title=Special:UserLogout", "sign_out"),
        ("http://git.test/users/sign_out", "sign_out"),
        ("http://x.test/logout.php?next=/", "sign_out"),
        ("http://x.test/session?action=log-out", "sign_out"),
        ("http://shop.test/dashboard/catalogue/product/7/delete/", "destructive"),
        ("http://x.test/page?action=delete&id=3", "destructive"),
        ("http://x.test/items/delete/12", "destructive"),
        ("http://x.test/items/delete/9f1b7c22-1111-4222-8333-944444444444", "destructive"),
        ("http://x.test/account/close-account", "destructive"),
        ("http://shop.test/catalogue/how-to-delete-old-paint_7/", None),
        ("http://shop.test/catalogue/logout-bench_12/", None),
        ("http://shop.test/search/?q=how+to+delete+old+files", None),
        ("http://shop.test/accounts/login/", None),
        ("http://shop.test/accounts/addresses/3/", None),
    ],
)
def test_links_are_judged_by_where_they_lead(shop, href, kind):
    danger = find_danger(control("More", role="link", href=href), shop)
    assert (danger and danger.kind) == kind


@pytest.mark.parametrize(
    ("node", "kind"),
    [
        (control("Yes, I am sure", form="2 POST /accounts/addresses/3/delete/"), "destructive"),
        (control("Go", form="1 POST /dashboard/logout/"), "sign_out"),
        (control("Go", form="f1.1 POST http://x.test/users/sign_out"), "sign_out"),
        (control("Search", form="1 GET /delete/"), None),
        (control("Save", form="1 POST /accounts/addresses/3/"), None),
        (control("Reason", role="textbox", form="1 POST /accounts/profile/delete/"), None),
        (control("Delete reason", role="textbox"), None),
        (marked(id="logout-link"), "sign_out"),
        (marked(id="btnDelete"), "destructive"),
        (marked(**{"data-testid": "sign-out"}), "sign_out"),
        (marked(id="add-to-basket"), None),
        (control("Delete", role="checkbox"), "destructive"),
    ],
)
def test_forms_and_marks_tell_where_names_do_not(shop, node, kind):
    danger = find_danger(node, shop)
    assert (danger and danger.kind) == kind


def test_the_site_file_has_the_last_word(shop):
    assert is_destructive(control("Place order"), shop) is None
    rules = shop.policy.with_(allowed=(), destructive=("(?i)archive",))
    strict = shop.with_(policy=rules)
    assert is_destructive(control("Place order"), strict)
    assert "site file" in (is_destructive(control("Archive page"), strict) or "")


def page(url, *nodes):
    key = "0" * 64
    return Page(url=url, title="", nodes=nodes, content_hash=key, view_hash=key, structure_key=key)


@pytest.mark.parametrize(
    ("seen", "signed_out"),
    [
        (page("http://shop.test/accounts/login/?next=/accounts/orders/"), True),
        (page("http://shop.test/accounts/orders/"), False),
        (
            page(
                "http://shop.test/wiki",
                control("Password", role="textbox", input_type="password"),
                control("Sign in"),
            ),
            True,
        ),
        (
            page(
                "http://shop.test/accounts/change-password/",
                control("Old", role="textbox", input_type="password"),
                control("New", role="textbox", input_type="password"),
                control("Save"),
            ),
            False,
        ),
        (page("http://shop.test/catalogue/", control("Login or register", role="link")), False),
    ],
)
def test_a_lost_session_is_noticed(shop, seen, signed_out):
    assert is_signed_out(seen, shop, "customer") is signed_out
