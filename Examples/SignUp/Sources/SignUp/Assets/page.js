// Gives feedback while a person types. The server makes all decisions: without this script, the feedback comes after
// the form is sent.
"use strict";

// Reads a text as the registry does: removes white space around it and one leading "@", folds full-width letters, and
// composes the rest (NFC).
const fold = (typed) =>
  typed.replace(/^\p{White_Space}+|\p{White_Space}+$/gu, "").replace(/^@/, "")
    .replace(/[\u3000\uFF01-\uFF9F]/g, (wide) => wide.normalize("NFKC")).normalize("NFC");

// The first rule of form that a text breaks; the code is "" for a valid handle. The rules are the registry's.
const brokenRule = (typed) => {
  const characters = [...fold(typed)];
  if (characters.length === 0) return { code: "missing" };
  if (characters.length < 3) return { code: "too_short" };
  if (characters.length > 15) return { code: "too_long" };
  const character = characters.find((one) => !/^[a-zA-Z0-9_]$/.test(one));
  if (character) return { code: "invalid_character", character };
  if (characters[0] === "_") return { code: "leading_underscore" };
  if (characters.every((one) => one >= "0" && one <= "9")) return { code: "all_digits" };
  return { code: "" };
};

const nameOf = (character, space) => {
  if (character === " ") return space;
  if (/^[\p{L}\p{N}\p{P}\p{S}]$/u.test(character)) return `‘${character}’`;
  return "U+" + character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");
};

// The first step.
const handleStep = (form) => {
  const PAUSE = 300; // ms between the last key and the check
  // ms between the last key and an announcement. Within a second, a screen reader still echoes the keys.
  const QUIET = 1020;
  const PATIENCE = 10000; // ms, the timeout of a check
  const texts = JSON.parse(form.dataset.texts);
  const input = form.elements.handle;
  const answer = document.getElementById("handle-answer");
  const status = document.getElementById("status");
  const suggestions = document.getElementById("suggestions");
  const list = suggestions.querySelector("ul");

  let text = null; // the text that the message is about
  let tone = "plain", announcement = "";
  let hasLeft = false, isQuiet = true, failures = 0;
  let quietTimer, checkTimer, request;

  const show = (newTone, message, spoken = message, names = []) => {
    tone = newTone;
    answer.className = "answer " + tone;
    answer.textContent = message;
    if (tone === "bad" && message) input.setAttribute("aria-invalid", "true");
    else input.removeAttribute("aria-invalid");
    list.replaceChildren(...names.map((name) => {
      const button = document.createElement("button");
      Object.assign(button, { className: "quiet", name: "handle", value: name, textContent: name, dir: "ltr" });
      const item = document.createElement("li");
      item.append(button);
      return item;
    }));
    suggestions.hidden = names.length === 0;
    announcement = spoken;
    announce();
  };

  const announce = () => {
    if (isQuiet && status.textContent !== announcement) status.textContent = announcement;
  };

  const stop = () => {
    clearTimeout(checkTimer);
    request?.abort();
    request = undefined;
  };

  // Judges the text in the field, and schedules a check if it is well formed.
  const judge = (pause) => {
    stop();
    failures = 0;
    const { code, character } = brokenRule(text);
    if (code === "") {
      show("plain", texts.checking.replace("{}", () => text.trim()), "");
      checkTimer = setTimeout(check, pause);
      return;
    }
    // The person may still be typing the rest.
    const isEarly = !hasLeft && (code === "missing" || code === "too_short");
    const message = texts[code].replace("{}", () => nameOf(character, texts.space));
    show("bad", isEarly ? "" : message);
  };

  const check = async () => {
    const asked = text;
    const own = request = new AbortController();
    const timer = setTimeout(() => own.abort(), PATIENCE);
    let pause = 0;
    try {
      const response = await fetch("/check?" + new URLSearchParams({ handle: asked }),
        { signal: own.signal, redirect: "error", cache: "no-store" });
      pause = Number(response.headers.get("Retry-After")) || 0;
      if (!response.ok) throw new Error(response.status);
      const found = await response.json();
      if (own !== request) return; // a newer check has begun
      if (found.handle !== asked) throw new Error("an answer about another text");
      failures = 0;
      show(found.tone, found.message, found.announcement, found.suggestions);
    } catch {
      if (own !== request) return;
      failures += 1;
      if (tone === "plain") show("plain", texts.unknown);
      checkTimer = setTimeout(check, 1000 * Math.max(pause, Math.min(2 ** (failures - 1), 30)));
    } finally {
      clearTimeout(timer);
    }
  };

  const changed = (pause) => {
    if (input.value === text) return;
    text = input.value;
    if (text === "") hasLeft = false;
    forgetRefusal();
    isQuiet = false;
    status.textContent = "";
    clearTimeout(quietTimer);
    quietTimer = setTimeout(() => { isQuiet = true; announce(); }, QUIET);
    judge(pause);
  };

  // The summary is about the text that was sent, so a change of the text removes it.
  const forgetRefusal = () => {
    document.getElementById("summary")?.remove();
    document.title = form.dataset.title;
  };

  input.addEventListener("input", (event) => { if (!event.isComposing) changed(PAUSE); });
  input.addEventListener("compositionend", () => changed(PAUSE));
  input.addEventListener("blur", () => {
    if (input.value === "" || hasLeft) return;
    hasLeft = true;
    if (brokenRule(text ?? "").code === "too_short") judge(0);
  });
  suggestions.addEventListener("submit", (event) => {
    event.preventDefault();
    input.value = event.submitter.value;
    input.focus();
    changed(0);
  });
  // When a page is shown again, the browser may restore the field's text.
  const begin = () => {
    if (input.value === (input.dataset.checked ?? input.defaultValue)) {
      text = input.value;
      if (input.dataset.checked === undefined && brokenRule(text).code === "") judge(0);
    } else changed(0);
  };
  addEventListener("pageshow", begin);
};

// The second step: the preview of the handle.
const nameStep = (form) => {
  const input = form.elements.display;
  if (!input) return;
  const preview = document.getElementById("preview");
  const fault = document.getElementById("display-fault");
  input.addEventListener("input", () => {
    const spelled = fold(input.value);
    const fits = spelled.toLowerCase() === input.dataset.handle;
    if (fits) preview.textContent = "@" + spelled;
    fault.textContent = fits ? "" : input.dataset.mismatch;
    if (fits) input.removeAttribute("aria-invalid");
    else input.setAttribute("aria-invalid", "true");
  });
};

// A page that waits for a service repeats its request, and continues when one succeeds.
const waiting = (element) => {
  let pause = 2000;
  const ask = async () => {
    try {
      const response = await fetch(element.dataset.again, { cache: "no-store" });
      if (response.ok) return location.replace(element.href ?? response.url);
    } catch { /* Still down: retry. */ }
    pause = Math.min(pause * 2, 10000);
    setTimeout(ask, pause);
  };
  setTimeout(ask, pause);
};

const handleForm = document.getElementById("handle-form");
if (handleForm) handleStep(handleForm);
const nameForm = document.getElementById("name-form");
if (nameForm) nameStep(nameForm);
const again = document.querySelector("[data-again]");
if (again) waiting(again);
