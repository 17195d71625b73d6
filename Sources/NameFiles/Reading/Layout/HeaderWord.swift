import HandleRules

/// Words that files have as names of columns, in their usual spellings and languages.
///
/// Names of columns are compared without capitals, blanks, underscores, hyphens and dots: `User Name` is `user_name`.
enum HeaderWord {
    /// The form in which names of columns are compared.
    static func key(_ name: some StringProtocol) -> String {
        String(name.lowercased().unicodeScalars.filter { !$0.isUnseen && !"_-.'’".unicodeScalars.contains($0) })
    }

    /// Names of the column with the handles, the likeliest first.
    static let handle = [
        "handle", "username", "userlogin", "login", "loginname", "screenname", "preferredusername", "samaccountname",
        "membername", "nickname", "nick", "benutzername", "nutzername", "anmeldename", "nomdutilisateur", "pseudo",
        "identifiant", "nombredeusuario", "usuario", "usuário", "nomedeusuário", "nomeutente", "gebruikersnaam",
        "användarnamn", "brugernavn", "brukernavn", "käyttäjätunnus", "nazwaużytkownika", "uživatelskéjméno",
        "felhasználónév", "kullanıcıadı", "логин", "имяпользователя", "імякористувача", "用户名", "使用者名稱", "ユーザー名",
        "사용자이름", "user", "uid", "name",
    ]

    /// Other names of the optional columns of a file for `reserve`.
    static let others = [
        "display": ["displayhandle"],
        "owner": ["ownerid", "account", "accountid", "inhaber", "besitzer", "propriétaire", "propietario"],
        "reason": ["grund", "begründung", "motif", "motivo"],
        "until": [
            "validuntil", "expires", "expiresat", "expirydate", "expiry", "enddate", "lastday", "bis", "gültigbis",
            "jusquau", "hasta",
        ],
    ]

    /// Names of the column with the handles to rename.
    static let old = ["old", "oldhandle", "oldname", "oldusername", "current"] + handle

    /// Other names of the columns of a file for `rename` or `assign`. Alone, they make no header.
    private static let changes = [
        "new": ["newhandle", "newname", "newusername"],
        "to": ["newowner", "newownerid", "owner", "ownerid", "account", "accountid"],
        "from": ["oldowner", "oldownerid", "presentowner"],
    ]

    /// The names of a column that is found by its meaning, its own first.
    static func names(of column: String) -> [String] { [column] + (others[column] ?? changes[column] ?? []) }

    /// Names of further columns that only headers have.
    private static let evidence = [
        "id", "email", "mail", "emailaddress", "userid", "cn", "sn", "dn", "givenname", "firstname", "lastname",
        "surname", "fullname", "displayname", "vorname", "nachname", "prénom", "nombre", "apellido", "createdat",
        "created",
    ]

    /// Words that would hardly be the name of a person, so one of them makes a header.
    static let certain = Set(handle).subtracting([
        "login", "nick", "pseudo", "usuario", "user", "uid", "name", "логин",
    ])

    private static let known = Set(handle + evidence + others.flatMap { [$0.key] + $0.value })

    /// Whether fields are a header: they have a word that only headers have; or another known word, and could all be
    /// names of columns: all different, no numbers, and no `@` in them. So a user named `login` alone in the first line of
    /// a file is taken for a header. With two known words a field may be repeated, so that a column chosen by its name is
    /// refused as ambiguous.
    static func areHeader(_ fields: [String]) -> Bool {
        let words = fields.map(key).filter { !$0.isEmpty }
        let unique = Set(words)
        if !unique.isDisjoint(with: certain) { return true }
        // In a list of words to reserve, `account` may be the first one.
        if fields.count == 1 { return unique.isSubset(of: handle) && !unique.isEmpty }
        let known = unique.intersection(known).count
        return (known > 1 || known == 1 && unique.count == words.count)
            && !fields.contains { Double($0) != nil || $0.contains("@") }
    }
}
