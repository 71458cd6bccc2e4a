/** Recognizes timeouts of tests, hooks, fixtures and steps, but not timeouts of single actions. */
import type { ErrorReader } from './parsed-error.ts';

const MESSAGES: readonly RegExp[] = [
  // Timeouts of Playwright
  /^(?:Test|Step|Worker teardown) timeout of \d{1,12}ms exceeded/,
  /^"\w{1,64}" (?:hook|modifier) timeout of \d{1,12}ms exceeded/,
  /^Fixture ".{1,200}?" timeout of \d{1,12}ms exceeded/,
  /^Tearing down ".{1,200}?" exceeded the test timeout/,
  /^Test finished within timeout of \d{1,12}ms, but tearing down/,
  // Timeouts of Jest, Mocha, Vitest, Jasmine and node:test
  /^"?Exceeded timeout of [\d.,]{1,20} ?\w{1,12} for a (?:test|hook)/,
  /^Timeout of \d{1,12}ms exceeded\. For async tests and hooks/,
  /^(?:Test|Hook) timed out in \d{1,12}ms/,
  /^Timeout - Async function did not complete within/,
  /^test timed out after \d{1,12}ms/,
  // Timeouts of pytest and JUnit
  /^Timeout \(?>\s?[\d.]{1,20} ?s/,
  /^\w{1,200}\(\) timed out after \d{1,12} \w{1,16}$/,
  /^execution (?:exceeded timeout of|timed out after) \d{1,12} ms/,
];

const HOOK = /^"(\w{1,64})" (?:hook|modifier) timeout|while running "(\w{1,64})" (?:hook|modifier)/;
const FIXTURE = /(?:^Fixture|setting up|[Tt]earing down) "([^"]{1,200})"/;

export const recognizeTimeout: ErrorReader = ({ headline }) => {
  if (!MESSAGES.some((message) => message.test(headline))) return undefined;
  const [, hook, runningHook] = HOOK.exec(headline) ?? [];
  const fixture = FIXTURE.exec(headline)?.[1];
  return { category: 'Timeout', action: hook ?? runningHook ?? null, target: fixture ?? null };
};
