/** Commands and assertions of Cypress. */

import { chainerIn } from './assertions.ts';
import type { ErrorReader, Finding, ParsedError } from './parsed-error.ts';

const RETRIED = /^Timed out retrying(?: after \d{1,12}ms)?: /;
const NOT_FOUND = /^Expected to find (?:element|content): (?:`([^`]{1,2048})`|'([^']{1,2048})')/;
const COMMAND = /`cy\.(\w{1,64})\(/;
const ROUTE = /to the route: `([^`]{1,2048})`/;
const ELEMENT = /^`(<[^`]{1,2048}>)`/;
const SUBJECT = /\bexpected '(<[^']{1,2048}>)'/;
const ADDRESS = /^\s{0,64}`?(https?:\/\/[^\s`]{1,2048})/;

export const cypress: ErrorReader = (error: ParsedError) => {
  const { headline } = error;
  const isRetried = RETRIED.test(headline);
  const text = headline.replace(RETRIED, '');
  return (isRetried ? retried(text) : undefined) ?? command(text, error);
};

function retried(text: string): Finding | undefined {
  const missing = NOT_FOUND.exec(text);
  if (missing) return { category: 'Async Assertion', action: 'find', target: missing[1] ?? missing[2] ?? null };
  const action = chainerIn(text);
  if (action === null) return undefined;
  return { category: 'Async Assertion', action, target: SUBJECT.exec(text)?.[1] ?? null };
}

function command(text: string, { lines }: ParsedError): Finding | undefined {
  const action = COMMAND.exec(text)?.[1];
  if (action === undefined) return undefined;
  const lineTarget = lines.map((line) => ELEMENT.exec(line.trim()) ?? ADDRESS.exec(line)).find((found) => found);
  return { category: 'Action', action, target: ROUTE.exec(text)?.[1] ?? lineTarget?.[1] ?? null };
}
