import { expect, test } from 'vitest';
import { deriveBrowserName } from '#shared/sign-in/browser-name.ts';

test.each([
  [
    'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/153.0.0.0 Safari/537.36',
    'Chrome on Linux',
  ],
  ['Mozilla/5.0 (Macintosh; Intel Mac OS X 10.15; rv:153.0) Gecko/20100101 Firefox/153.0', 'Firefox on macOS'],
  [
    'Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Version/19.0 Safari/604.1',
    'Safari on iPhone',
  ],
  ['curl/8.5', 'curl/8.5'],
  ['', 'unknown browser'],
])('The user agent %j is shown as %s', (description, name) => {
  expect(deriveBrowserName(description)).toBe(name);
});
