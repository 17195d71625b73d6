// Compiled only: uses every declaration of handle-field.d.ts in the way of a page.
import { attachHandleField, brokenRule, fold, texts } from "../../Sources/HandleField/handle-field.js";
import type { Current, Options, Reason, State, Texts } from "../../Sources/HandleField/handle-field.js";

const field = document.querySelector("handle-field")!;
field.texts = { taken: "Vergeben.", suggestionsBelow: (count) => `${count + 1} Namen` };
field.token = async () => "token";
const state: State | undefined = field.current?.state;
document.addEventListener("handle-change", ({ detail }) => {
  const current: Current = detail;
  const codes: string[] = current.reasons.map((reason: Reason) => reason.code);
  const offered: string[] = current.suggestions.map((one) => one.display);
  console.log(state, codes, offered, current.display?.length, current.handle?.length);
});

const german: Texts = {
  ...texts,
  owner_locked: (_, reason) => ("until" in reason && reason.until ? `Gesperrt bis ${reason.until}.` : "Gesperrt."),
  reserved_word: (_, reason) => ("category" in reason && reason.category === "offensive" ? "Nein." : "Reserviert."),
};
const options: Options = {
  endpoint: "https://handles.example/v1/availability", name: "Jane Roe", suggestions: 3, validity: true,
  texts: german, token: () => null,
  parts: { message: document.querySelector("p"), suggestions: document.querySelector("div"), status: null },
};
const attached = attachHandleField(document.querySelector("input")!, options);
const later: State = attached.current.state;
attached.destroy();

const rule = brokenRule("a");
if (rule?.code === "too_short") console.log(rule.length, fold("a"), later);
// @ts-expect-error: the members depend on the code
if (rule?.code === "all_digits") console.log(rule.length);
// @ts-expect-error: the endpoint is required
attachHandleField(document.querySelector("input")!, {});
// @ts-expect-error: there is no such state
const wrong: State = "taken";
// @ts-expect-error: a decision is not changed by the page
attached.current = wrong;
