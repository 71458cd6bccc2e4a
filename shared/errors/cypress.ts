/** Recognizes failed commands and assertions of Cypress. */
import { findChainer } from './assertions.ts';
import type { ErrorReader, Finding } from './parsed-error.ts';

const RETRIED = /^Timed out retrying(?: after \d{1,12}ms)?: /;
const NOT_FOUND = /^Expected to find (?:element|content): (?:`([^`]{1,2048})`|'([^']{1,2048})')/;
const COMMAND = /`cy\.(\w{1,64})\(/;
const ROUTE = /to the route: `([^`]{1,2048})`/;
const ELEMENT = /^`(<[^`]{1,2048}>)`/;
const SUBJECT = /\bexpected '(<[^']{1,2048}>)'/;
const ADDRESS = /^\s{0,64}`?(https?:\/\/[^\s`]{1,2048})/;

export const recognizeCypress: ErrorReader = ({ headline, lines }) => {
  const text = headline.replace(RETRIED, '');
  const assertion = RETRIED.test(headline) ? recognizeAssertion(text) : undefined;
  return assertion ?? recognizeCommand(text, lines);
};

function recognizeAssertion(text: string): Finding | undefined {
  const match = NOT_FOUND.exec(text);
  if (match) return { category: 'Async Assertion', action: 'find', target: match[1] ?? match[2] ?? null };
  const action = findChainer(text);
  if (action === null) return undefined;
  return { category: 'Async Assertion', action, target: SUBJECT.exec(text)?.[1] ?? null };
}

function recognizeCommand(text: string, lines: readonly string[]): Finding | undefined {
  const action = COMMAND.exec(text)?.[1];
  if (action === undefined) return undefined;
  const lineTarget = lines.map((line) => ELEMENT.exec(line.trim()) ?? ADDRESS.exec(line)).find((match) => match);
  return { category: 'Action', action, target: ROUTE.exec(text)?.[1] ?? lineTarget?.[1] ?? null };
}
