// A field for a handle. While a person types, it shows whether the name is available, and offers others.
// It never blocks the person: the service decides when the form is sent. docs/web.md describes its use.

const PAUSE = 300; // ms between the last key and the check
// ms between the last key and an announcement. Within a second, a screen reader still echoes the keys.
const QUIET = 1020;
const PATIENCE = 10_000; // ms, the timeout of a check
const LONGEST_BACK_OFF = 30; // s between two attempts, unless the service asks for a longer pause
const DAY = 86_400; // s, the limit of every pause: the timers of browsers overflow after 24 days

// The texts in English. A text has {} in the place of the name, the character or the number, or is a function of it.
// An entry under the code of a reason replaces the words of the service.
export const texts = {
  empty: "Type a handle.",
  checking: "Checking {}…",
  available: "{} is available.",
  unknown: "We can't check this name just now. You can continue; we check it again then.",
  suggestions: "Free names like it",
  // Follows the reason, for people who can't see the list.
  suggestionsBelow: (count) =>
    count === 1 ? "1 free name like it is listed below." : `${count} free names like it are listed below.`,
  too_short: "A handle has at least 3 characters.",
  too_long: "A handle has at most 15 characters.",
  invalid_character: "{} can't be in a handle; use a–z, 0–9 and _.",
  space: "A space",
  leading_underscore: "A handle can't start with an underscore; start with a letter or a digit.",
  all_digits: "A handle can't be digits only; add a letter.",
};

// Reads a text as the service does: removes white space around it and one leading "@", folds full-width letters, and
// composes the rest (NFC).
export const fold = (typed) =>
  typed.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "").replace(/^@/, "")
    .replace(/[\u3000\uFF01-\uFF9F]/g, (wide) => wide.normalize("NFKC")).normalize("NFC");

// The first rule of form that a text breaks, as the service names it; undefined for a well-formed handle.
export const brokenRule = (typed) => {
  const characters = [...fold(typed)];
  const { length } = characters;
  if (length < 3) return { code: "too_short", length };
  if (length > 15) return { code: "too_long", length };
  const offset = characters.findIndex((one) => !/^[a-zA-Z0-9_]$/.test(one));
  if (offset >= 0) {
    return { code: "invalid_character", character: characters[offset], codepoint: codepoint(characters[offset]), offset };
  }
  if (characters[0] === "_") return { code: "leading_underscore" };
  if (characters.every((one) => one >= "0" && one <= "9")) return { code: "all_digits" };
};

const codepoint = (character) => "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// A character that is invisible, or that changes the text around it, is named by its code point.
const nameOf = (character, space) => {
  if (character === " ") return space;
  return /^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character) ? `‘${character}’` : codepoint(character);
};

const UNDECIDED = { handle: null, display: null, reasons: [], suggestions: [] };
const STATES = { available: "available", unavailable: "unavailable", invalid: "malformed" };

// Whether a response is a decision about the text. A proxy may respond with a page of its own.
const isDecision = (found, text) =>
  found?.input === text && Object.hasOwn(STATES, found.status) && Array.isArray(found.suggestions)
    && Array.isArray(found.reasons) && (found.reasons.length === 0) === (found.status === "available");

// The same request would be refused again. After 401, `token` may return a new token.
const isLasting = (status) => status >= 400 && status < 500 && ![401, 408, 409, 425, 429].includes(status);

const aborted = (signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));

// Asks the service about one text at a time, and repeats the request until there is a decision.
class Checker {
  #options; #found; #failed; #timer; #request;
  #failures = 0;
  #number = 0;
  // Not crypto.randomUUID(), which only pages with TLS have. The id is no secret.
  #session = Math.random().toString(36).slice(2);

  constructor(options, found, failed) {
    this.#options = options;
    this.#found = found;
    this.#failed = failed;
  }

  check(text, pause) {
    this.stop();
    this.#failures = 0;
    this.#timer = setTimeout(() => this.#attempt(text), pause);
  }

  stop() {
    clearTimeout(this.#timer);
    const request = this.#request;
    this.#request = undefined;
    request?.abort();
  }

  async #attempt(text) {
    const request = this.#request = new AbortController();
    const { signal } = request;
    const timeout = setTimeout(() => request.abort(), PATIENCE);
    // The race also ends a wait for `token`, and for a `fetch` that ignores the signal.
    const [found, fault] = await Promise.race([this.#ask(text, signal), aborted(signal)])
      .then((found) => [found], (fault) => [undefined, fault]);
    clearTimeout(timeout);
    if (request !== this.#request) return; // A newer check has begun.
    if (found) this.#found(found);
    else this.#repeat(text, fault);
  }

  // Throws the response, if it is a refusal.
  async #ask(text, signal) {
    const { endpoint, name, suggestions, token } = this.#options;
    const address = new URL(endpoint, document.baseURI);
    const query = { handle: text, session: this.#session, seq: ++this.#number, name, suggestions };
    for (const [key, value] of Object.entries(query)) {
      if (value !== undefined && value !== null) address.searchParams.set(key, value);
    }
    const bearer = await token?.();
    // Without a token the request has no headers that need a preflight request.
    const headers = bearer ? { Authorization: "Bearer " + bearer } : {};
    const response = await fetch(address, { headers, signal, redirect: "error", cache: "no-store" });
    if (!response.ok) throw response;
    const found = await response.json();
    if (!isDecision(found, text)) throw new TypeError("not a decision about the text");
    return found;
  }

  #repeat(text, fault) {
    const asked = Number(fault?.headers?.get("Retry-After")) || 0;
    const backOff = Math.min(2 ** this.#failures++, LONGEST_BACK_OFF);
    if (!isLasting(fault?.status)) {
      this.#timer = setTimeout(() => this.#attempt(text), 1000 * Math.min(Math.max(asked, backOff), DAY));
    }
    this.#failed();
  }
}

// The live region: one sentence after each pause in typing.
class Announcer {
  #region; #timer;
  #sentence = "";
  #isQuiet = true;

  constructor(region) { this.#region = region; }

  hush() {
    this.stop();
    this.#isQuiet = false;
    this.#timer = setTimeout(() => {
      this.#isQuiet = true;
      this.say(this.#sentence);
    }, QUIET);
  }

  say(sentence) {
    this.#sentence = sentence;
    if (this.#isQuiet && this.#region.textContent !== sentence) this.#region.textContent = sentence;
  }

  stop() {
    clearTimeout(this.#timer);
    this.#region.textContent = "";
  }
}

const element = (tag, properties, ...children) => {
  const made = Object.assign(document.createElement(tag), properties);
  made.append(...children);
  return made;
};

let fields = 0;

// The elements of a field: those of the page, else new ones.
const completed = (given, title) => {
  const number = ++fields;
  const parts = { ...given };
  parts.message ||= element("div", { className: "handle-message" });
  parts.message.id ||= `handle-message-${number}`;
  if (!parts.suggestions) {
    const heading = element("p", { id: `handle-suggestions-${number}`, textContent: title });
    const list = element("ul");
    list.setAttribute("aria-labelledby", heading.id);
    parts.suggestions = element("div", { className: "handle-suggestions", hidden: true }, heading, list);
  }
  if (!parts.status) {
    parts.status = element("div", { className: "handle-status", role: "status" });
    // Unseen, but read to the person. A content security policy allows styles that a script sets like this.
    Object.assign(parts.status.style, {
      position: "absolute", width: "1px", height: "1px", overflow: "hidden", clipPath: "inset(50%)", whiteSpace: "nowrap",
    });
  }
  return parts;
};

// Gives feedback on the text of an input. `host` is the element <handle-field>, if there is one.
export const attachHandleField = (input, options, host) => {
  const listening = new AbortController();
  const on = (target, type, listener) => target.addEventListener(type, listener, { signal: listening.signal });
  const say = (key, about, reason) => {
    const text = options.texts?.[key] ?? texts[key];
    return typeof text === "function" ? text(about, reason) : text?.replace("{}", () => about);
  };

  const given = options.parts ?? {};
  const parts = completed(given, say("suggestions"));
  const made = Object.keys(parts).filter((key) => !given[key]).map((key) => parts[key]);
  if (host) host.append(...made);
  else input.after(...made);
  const description = input.getAttribute("aria-describedby");
  if (!description?.split(" ").includes(parts.message.id)) {
    input.setAttribute("aria-describedby", [description, parts.message.id].filter(Boolean).join(" "));
  }

  let text = ""; // the text that `current` is about
  let current = { state: "empty", input: text, ...UNDECIDED };
  let hasLeft = false; // whether the person has left the field since it was empty
  let isComposing = false; // whether an input method is open
  let isEarly = false; // whether a broken rule is not shown yet, because the person still types

  const show = (state, message, { spoken = message, ...decision } = {}) => {
    current = { state, input: text, ...UNDECIDED, ...decision };
    const { reasons, suggestions } = current;
    parts.message.textContent = message;
    if (message && reasons.length > 0) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    if (options.validity) input.setCustomValidity(reasons.map((reason) => reason.message).join(" "));
    offer(state === "available" ? [] : suggestions.map((one) => one.display));
    announcer.say(spoken);
    host?.setAttribute("state", state);
    input.dispatchEvent(new CustomEvent("handle-change", { bubbles: true, detail: current }));
  };

  const offer = (names) => {
    parts.suggestions.querySelector("ul").replaceChildren(...names.map((name) =>
      element("li", {}, element("button", { type: "button", value: name, textContent: name, dir: "ltr" }))));
    parts.suggestions.hidden = names.length === 0;
  };

  // Judges the form of the text, and schedules a check if it is well formed.
  const judge = (pause) => {
    checker.stop();
    const rule = brokenRule(text);
    isEarly = false;
    if (rule) return complain(rule);
    const display = fold(text);
    show("checking", say("checking", text.trim()), { handle: display.toLowerCase(), display, spoken: "" });
    checker.check(text, pause);
  };

  const complain = (rule) => {
    const isMissing = rule.length === 0;
    // Some keyboards of phones compose every word. So a composed text is checked; only its faults may be passing.
    isEarly = isComposing || rule.code === "too_short" && !hasLeft;
    const message = isMissing
      ? say("empty")
      : say(rule.code, rule.character && nameOf(rule.character, say("space")), rule);
    show(isEarly || isMissing ? "empty" : "malformed", isEarly ? "" : message,
      { reasons: text === "" ? [] : [{ ...rule, message }] });
  };

  const found = (decision) => {
    const { status, handle, display } = decision;
    const reasons = decision.reasons.map((one) => ({ ...one, message: say(one.code, "", one) ?? one.message }));
    const message = status === "available"
      ? say("available", display ?? text.trim())
      : reasons.map((one) => one.message).join(" ");
    // The person can't have others either.
    const isBarred = reasons.some((one) => /owner_locked|too_many_changes/.test(one.code));
    const suggestions = isBarred ? [] : decision.suggestions;
    const isOffered = status !== "available" && suggestions.length > 0;
    const spoken = isOffered ? `${message} ${say("suggestionsBelow", suggestions.length)}` : message;
    show(STATES[status], message, { handle, display, reasons, suggestions, spoken });
  };

  const failed = () => {
    if (current.state !== "checking") return;
    show("unknown", say("unknown"), { handle: current.handle, display: current.display });
  };

  const changed = (pause) => {
    if (input.value === text) return;
    text = input.value;
    if (text === "") hasLeft = false;
    announcer.hush();
    judge(pause);
  };

  const announcer = new Announcer(parts.status);
  const checker = new Checker(options, found, failed);

  on(input, "input", (event) => {
    isComposing = event.isComposing;
    changed(event.inputType === "insertReplacementText" ? 0 : PAUSE);
  });
  on(input, "compositionend", () => {
    isComposing = false;
    if (input.value !== text) changed(PAUSE);
    else if (isEarly) judge(PAUSE);
  });
  on(input, "blur", () => {
    if (text === "" || hasLeft) return;
    hasLeft = true;
    if (isEarly) judge(PAUSE);
  });
  on(parts.suggestions, "click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    event.preventDefault(); // Without JavaScript, a button of the page may send a form.
    input.focus();
    // Unlike the setter of `value`, this is seen by React.
    input.setRangeText(button.value, 0, input.value.length, "end");
    input.dispatchEvent(new InputEvent("input", { bubbles: true, inputType: "insertReplacementText" }));
  });
  // The browser empties the input after this event.
  on(document, "reset", (event) => {
    if (event.target === input.form) setTimeout(() => listening.signal.aborted || changed(0));
  });
  // When a page is shown again, the browser may restore the text of the input.
  on(window, "pageshow", () => changed(0));

  // The server has judged its own text already, and its message stands.
  const state = host?.getAttribute("state");
  if (Object.values(STATES).includes(state) && input.value === input.defaultValue) {
    text = input.value;
    current = { state, input: text, ...UNDECIDED };
  } else {
    host?.setAttribute("state", "empty");
    changed(0);
  }

  return {
    get current() { return current; },
    destroy() {
      listening.abort();
      checker.stop();
      announcer.stop();
      offer([]);
      parts.message.textContent = "";
      made.forEach((one) => one.remove());
      input.removeAttribute("aria-invalid");
      if (description === null) input.removeAttribute("aria-describedby");
      else input.setAttribute("aria-describedby", description);
      if (options.validity) input.setCustomValidity("");
      host?.removeAttribute("state");
    },
  };
};

const define = () => {
  class HandleField extends HTMLElement {
    #field; #input;
    // Also finds an input that a framework adds later, or replaces.
    #watch = new MutationObserver(() => this.#attach());

    get current() { return this.#field?.current ?? null; }

    connectedCallback() {
      this.#watch.observe(this, { childList: true, subtree: true });
      document.addEventListener("DOMContentLoaded", () => this.#attach(), { once: true });
      this.#attach();
    }

    disconnectedCallback() {
      this.#watch.disconnect();
      this.#detach();
    }

    #attach() {
      // While the page is parsed, elements of the field may be missing.
      if (!this.isConnected || document.readyState === "loading") return;
      const input = this.querySelector("input:not([type=hidden])");
      if (input === this.#input) return;
      this.#detach();
      this.#input = input;
      if (input) this.#field = attachHandleField(input, this.#options(), this);
    }

    #detach() {
      this.#field?.destroy();
      this.#field = this.#input = undefined;
    }

    // Attributes are read when they are needed, so a page may change them at any time.
    #options() {
      const host = this;
      const part = (name) => host.querySelector(".handle-" + name);
      return {
        parts: { message: part("message"), suggestions: part("suggestions"), status: part("status") },
        get endpoint() { return host.getAttribute("endpoint"); },
        get name() { return host.getAttribute("name"); },
        get suggestions() { return host.getAttribute("suggestions"); },
        get validity() { return host.hasAttribute("validity"); },
        get texts() { return host.texts; },
        get token() { return host.token; },
      };
    }
  }
  // Frameworks look whether a property exists before they set it. A page may set it before this script runs.
  Object.assign(HandleField.prototype, { texts: undefined, token: undefined });
  customElements.define("handle-field", HandleField);
};

// A server that renders pages may import this module too.
if (globalThis.customElements && !customElements.get("handle-field")) define();
