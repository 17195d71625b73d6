/** The codes of the reasons against a name. Later versions of the service may have others. */
export type ReasonCode =
  | "too_short" | "too_long" | "invalid_character" | "leading_underscore" | "all_digits"
  | "reserved_word" | "lookalike" | "taken" | "owner_full" | "too_many_changes" | "owner_locked";

/** A rule of form that a text breaks. */
export type BrokenRule =
  | { code: "too_short" | "too_long"; length: number }
  | {
    code: "invalid_character"; character: string; codepoint: string;
    /** The place of the character in the text, in code points from 0. */
    offset: number;
  }
  | { code: "leading_underscore" | "all_digits" };

/** A reason against a name, as the service names it. */
export interface Reason {
  code: ReasonCode | (string & {});
  /** One sentence for the person, in the language of the field's texts. */
  message: string;
  /** With `too_short` and `too_long`: the number of characters. */
  length?: number;
  /** With `invalid_character`. */
  character?: string;
  codepoint?: string;
  offset?: number;
  /** With `reserved_word`: `roles`, `routes`, `offensive` … */
  category?: string;
  /**
   * With `too_many_changes`: when the person can get another name. With `owner_locked`: the end of the lock; null if it
   * has none. RFC 3339.
   */
  until?: string | null;
}

export interface Suggestion {
  handle: string;
  display: string;
  method: string;
}

export type State =
  /** There is nothing to judge: no text, or one that is still being typed. */
  | "empty"
  /** The text breaks a rule of form. */
  | "malformed"
  | "checking"
  | "available"
  | "unavailable"
  /** The check has failed, which says nothing about the name. It is repeated. */
  | "unknown";

export interface Current {
  readonly state: State;
  /** The text of the input that all other members are about. */
  readonly input: string;
  /** The handle that the text is read as; null if it is malformed. */
  readonly handle: string | null;
  /** The handle with the capitals of the text. */
  readonly display: string | null;
  /** All reasons of the service, or the first rule of form that the text breaks. */
  readonly reasons: readonly Reason[];
  readonly suggestions: readonly Suggestion[];
}

/** A text with `{}` in the place of its value, or a function of the value. */
export type Text<Value = string> = string | ((value: Value) => string);
/** The text of a reason. The value is the character of `invalid_character`, as people read it. */
export type ReasonText = string | ((value: string, reason: Reason | BrokenRule) => string);

export interface Texts extends Partial<Record<ReasonCode, ReasonText>> {
  empty: Text;
  checking: Text;
  available: Text;
  unknown: Text;
  suggestions: Text;
  suggestionsBelow: Text<number>;
  space: Text;
}

/** The texts in English. Changes apply to all fields of the page. */
export const texts: Texts;

export interface Options {
  /** The address of the check: `https://handles.example/v1/availability`. */
  endpoint: string;
  /** The person's name, from which suggestions are made. */
  name?: string | null;
  /** The number of suggestions, 0 to 20; five if it is absent. */
  suggestions?: number | string | null;
  /** Whether a malformed or unavailable name makes the input invalid, so that its form can't be sent. */
  validity?: boolean;
  /** Replaces texts. */
  texts?: Partial<Texts>;
  /** The identity token of the signed-in person, if there is one. It is called for each request. */
  token?: () => string | null | undefined | Promise<string | null | undefined>;
  /** Elements of the page for the message, the suggestions (with a `ul` in it) and the live region. */
  parts?: { message?: Element | null; suggestions?: HTMLElement | null; status?: HTMLElement | null };
}

/** Gives feedback on the text of an input until `destroy` is called. Dispatches `handle-change` at the input. */
export function attachHandleField(input: HTMLInputElement, options: Options): {
  readonly current: Current;
  destroy(): void;
};

/** Reads a text as the service does, without white space around it, a leading `@`, and full-width letters. */
export function fold(typed: string): string;

/** The first rule of form that a text breaks; undefined for a well-formed handle. */
export function brokenRule(typed: string): BrokenRule | undefined;

/** The element `<handle-field>`. Its attributes are `endpoint`, `name`, `suggestions` and `validity`. */
export interface HandleFieldElement extends HTMLElement {
  /** Null while the element has no input, or is not in a document. */
  readonly current: Current | null;
  texts?: Partial<Texts>;
  token?: Options["token"];
}

declare global {
  interface HTMLElementTagNameMap {
    "handle-field": HandleFieldElement;
  }
  interface GlobalEventHandlersEventMap {
    "handle-change": CustomEvent<Current>;
  }
}
