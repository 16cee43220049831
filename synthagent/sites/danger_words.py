"""Words of signing out, deleting and paying in eleven languages, for `policy.py`.

Data only. Patterns meet case-folded names without icons; they are anchored, so that "Log out" is
met and "A log out of oak" is not.
"""

import re


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{pattern})" for pattern in patterns))


SIGN_OUT_NAMES = _any(
    r"^(?:yes,? )?(?:sign|log)[ -]?(?:me )?(?:out|off)"
    r"(?: ?\(.{0,40}| (?:of|from) (?:all|this|my|your|every)\b.{0,30}"
    r"| (?!of\b|from\b)[^,:]{1,30})?$",
    r"^(?:end|terminate|close) (?:my |this |the |all )?sessions?$",
    r"^(?:switch|change) (?:user|account)s?$",
    r"^(?:jetzt |benutzer )?(?:abmelden|ausloggen|abmeldung)(?: \(.*)?$|^sitzung beenden$",
    r"^(?:konto|benutzer) wechseln$",
    r"^(?:se )?d[ée]connexion$|^(?:se |me )?d[ée]connecter\b.{0,20}$|^fermer la session$",
    r"^cerrar (?:la |mi )?sesi[óo]n$|^desconectar(?:se)?$|^finalizar (?:la )?sesi[óo]n$|^salir$",
    r"^esci$|^disconnetti(?:ti)?$|^disconnessione$|^(?:termina|chiudi) (?:la )?sessione$",
    r"^sair$|^sair da (?:conta|sess[ãa]o)$|^(?:terminar|encerrar|fechar) (?:a )?sess[ãa]o$",
    r"^(?:uitloggen|afmelden|log uit|meld (?:je )?af)$",
    r"^wyloguj(?: si[ęe])?$|^wylogowanie$",
    r"^выйти(?: из .{1,30})?$|^выход(?: из .{1,30})?$|^завершить сеанс$",
    r"^(?:サインアウト|ログアウト|ログオフ)(?:する)?$",
    r"^(?:退出|登出|注销|登錄?出|安全退出|退出登录|退出登錄|退出账号|退出帳號)$",
)

SIGN_IN_NAMES = _any(
    r"^(?:sign|log)[ -]?(?:in|on)\b.{0,30}$",
    r"^(?:anmelden|einloggen|anmeldung)$",
    r"^(?:se )?connexion$|^se connecter$",
    r"^iniciar (?:la )?sesi[óo]n$|^acceder$|^entrar$",
    r"^accedi$|^accesso$|^(?:aceder|iniciar sess[ãa]o)$",
    r"^(?:inloggen|aanmelden|log in)$|^zaloguj(?: si[ęe])?$",
    r"^войти$|^вход$|^(?:サインイン|ログイン)(?:する)?$|^(?:登录|登錄|登入)$",
)

DELETE_NAMES = _any(
    r"^(?:yes,? )?(?:permanently )?(?:delete|destroy|erase|wipe|purge)\b.{0,60}$",
    r"^(?:remove|discard|drop|reset) (?:(?:my|this|the|your|entire|all) )*(?:user|member|account|"
    r"profile|project|repository|repo|group|workspace|space|organi[sz]ation|team|database|site|"
    r"store|shop|data|settings|everything|history)s?\b.{0,30}$",
    r"^(?:move to (?:the )?(?:trash|bin)|empty (?:the )?(?:trash|bin|recycle bin))$",
    r"^(?:factory reset|clear all data|delete forever|deletion)$",
    r"(?:^|\s)(?:löschen|vernichten)$|^(?:endgültig |ja,? )?(?:lösche|löschen)\b.{0,40}$",
    r"^(?:supprimer|effacer|d[ée]truire)\b.{0,50}$",
    r"^(?:eliminar|borrar|destruir|suprimir)\b.{0,50}$",
    r"^(?:elimina|cancella|eliminare|cancellare|distruggi)\b(?! ricerca| filtr).{0,50}$",
    r"^(?:excluir|apagar)\b.{0,50}$",
    r"(?:^|\s)(?:verwijderen|wissen)$|^verwijder\b.{0,40}$",
    r"^(?:usuń|usun|skasuj|kasuj)\b.{0,50}$",
    r"^(?:удалить|стереть|уничтожить)\b.{0,50}$|^удаление(?: .{1,30})?$",
    r"^.{0,20}(?:削除|消去)(?:する|します)?$",
    r"^(?:彻底|永久|确认)?(?:删除|刪除|清空).{0,12}$",
)

ACCOUNT_NAMES = _any(
    r"^(?:close|cancel|deactivate|disable|terminate|suspend|end) (?:(?:my|this|the|your) )*"
    r"(?:user )?(?:account|profile|membership|subscription|plan|store|shop)s?\b.{0,20}$",
    r"^leave (?:(?:this|the) )?(?:project|group|team|workspace|space|organi[sz]ation|server)$",
    r"^(?:revoke|transfer ownership|unlink account|deactivate)\b.{0,40}$",
    r"^(?:(?:mein |das )?konto|(?:mein |das )?abo(?:nnement)?|mitgliedschaft|(?:mein )?profil) "
    r"(?:schließen|schliessen|kündigen|deaktivieren|auflösen|entfernen)$",
    r"^(?:fermer|cl[ôo]turer|d[ée]sactiver|r[ée]silier) (?:mon |le |ce |l['’])?"
    r"(?:compte|abonnement|profil).{0,20}$",
    r"^(?:cerrar|desactivar|cancelar|dar de baja) (?:mi |la |el )?"
    r"(?:cuenta|suscripci[óo]n|perfil).{0,20}$",
    r"^(?:chiudi|disattiva|annulla) (?:il mio |l['’]|il )?(?:account|abbonamento|profilo).{0,20}$",
    r"^(?:encerrar|desativar|cancelar|fechar) (?:a |minha |o )*(?:conta|assinatura|perfil).{0,20}$",
    r"^(?:account|abonnement|profiel|lidmaatschap) (?:sluiten|opzeggen|opheffen|deactiveren)$",
    r"^(?:zamknij|dezaktywuj|anuluj) (?:moje )?(?:konto|subskrypcję|profil).{0,20}$",
    r"^(?:закрыть|деактивировать|отключить|отменить) (?:мой |мою )?"
    r"(?:аккаунт|учетную запись|учётную запись|подписку|профиль).{0,20}$",
    r"^(?:退会|解約|アカウントを?(?:閉鎖|停止|無効化)|サブスクリプションを?解約)(?:する)?$",
    r"^(?:注销账户|注销账号|關閉帳戶|关闭账户|关闭帐户|停用账户|取消订阅|退订)$",
)

MONEY_NAMES = _any(
    r"^(?:pay|pay now|buy now|place (?:the |your |my )?order|confirm (?:and pay|payment|purchase)|"
    r"complete (?:purchase|payment|order)|purchase|checkout now|send (?:money|payment)|"
    r"submit (?:order|payment)|order now|donate(?: now)?)$",
    r"^pay\b.{0,30}[\d$€£¥].{0,10}$",
    r"^(?:cancel|refund|void|return) (?:(?:this|the|my) )?(?:whole |entire )?"
    r"(?:order|purchase|booking|reservation|payment|shipment|delivery)\b.{0,20}$",
    r"^(?:jetzt )?(?:kaufen|bezahlen|zahlen)$|^(?:zahlungspflichtig|kostenpflichtig) bestellen$",
    r"^(?:bestellung|buchung|reservierung|zahlung) (?:stornieren|abbrechen|absenden|aufgeben)$",
    r"^payer(?: maintenant| la commande| \d.{0,15})?$",
    r"^(?:acheter maintenant|passer (?:la |ma )?commande|"
    r"annuler (?:la |ma |cette )?(?:commande|r[ée]servation))\b.{0,15}$",
    r"^(?:pagar|comprar ahora|realizar (?:el )?pedido|"
    r"cancelar (?:el |mi |este )?(?:pedido|reserva|la reserva))\b.{0,15}$",
    r"^(?:paga|acquista ora|invia ordine|effettua (?:l['’])?ordine|"
    r"annulla (?:l['’]|il )?(?:ordine|prenotazione))\b.{0,15}$",
    r"^(?:comprar agora|finalizar compra|cancelar (?:o )?(?:pedido|encomenda))$",
    r"^(?:betalen|nu kopen|bestelling (?:plaatsen|annuleren)|nu betalen)$",
    r"^(?:zapłać|kup teraz|złóż zamówienie|anuluj zamówienie)\b.{0,15}$",
    r"^(?:оплатить|купить сейчас|оформить заказ|отменить заказ)\b.{0,15}$",
    r"^(?:今すぐ(?:買う|購入)|購入する|注文を?(?:確定|キャンセル)|支払う?)(?:する)?$",
    r"^(?:立即购买|立即支付|提交订单|取消订单|付款|支付|立即購買|取消訂單)$",
)

SIGN_OUT_ICONS = frozenset({"⏻", "⏼", "⎋", "🚪"})
DELETE_ICONS = frozenset({"🗑", "🚮", "⌫"})

ADDRESS_FILLERS = frozenset(
    [
        *("special", "user", "users", "account", "accounts", "page", "action", "do", "confirm"),
        *("my", "item", "items", "api", "ajax", "index", "product", "order", "address", "post"),
    ]
)
"""Words of an address beside which `delete` or `logout` still means what it says."""

SIGN_OUT_WORDS = frozenset(
    [
        "logout",
        "signout",
        "logoff",
        "signoff",
        "endsession",
        "abmelden",
        "ausloggen",
        "deconnexion",
        "deconnecter",
        "cerrarsesion",
        "uitloggen",
        "afmelden",
        "wyloguj",
        "disconnetti",
        "userlogout",
    ]
)
DELETE_WORDS = frozenset(
    [
        "delete",
        "destroy",
        "erase",
        "purge",
        "wipe",
        "deleteaccount",
        "closeaccount",
        "removeaccount",
        "deactivate",
        "cancelaccount",
        "loeschen",
        "supprimer",
        "eliminar",
        "elimina",
        "verwijderen",
        "usun",
        "excluir",
        "cancelorder",
        "ordercancel",
    ]
)
