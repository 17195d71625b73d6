// Adds feedback while a person types. The server makes all decisions: without this script, the feedback comes after the
// form is sent. handle-field.js of the registry follows in the same module: it has the first step's field, and `fold`.

// The first step.
const handleStep = (field) => {
  const { texts, suggestionsBelow } = JSON.parse(field.dataset.texts);
  field.texts = { ...texts, suggestionsBelow: (count) => suggestionsBelow[count - 1] };
  // The summary is about the text that was sent, so a change of the text removes it.
  field.addEventListener("input", () => {
    document.getElementById("summary")?.remove();
    document.title = field.dataset.title;
  });
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

const field = document.querySelector("handle-field");
if (field) handleStep(field);
const nameForm = document.getElementById("name-form");
if (nameForm) nameStep(nameForm);
const again = document.querySelector("[data-again]");
if (again) waiting(again);
