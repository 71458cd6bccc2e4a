import { inspect } from 'node:util';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { normalizeServiceAddress, parseDsn } from '#infra/client/settings/dsn.ts';
import { cases } from '#test/harness/cases.ts';

const KEY = 'rdn_key_s3cret';
const problemOf = (text: string): unknown => {
  try {
    return parseDsn(text);
  } catch (error) {
    return error;
  }
};

describe('RUNDOWN_DSN', () => {
  test.each([
    [`https://${KEY}@results.example.com/shop`, 'https://results.example.com', 'shop'],
    [`https://${KEY}@results.example.com/shop/`, 'https://results.example.com', 'shop'],
    [` https://${KEY}@results.example.com:8443/shop\n`, 'https://results.example.com:8443', 'shop'],
    // Without a domain of its own, a deployment has the name of its stage in its address.
    [`https://${KEY}@api.example.com/dev/shop`, 'https://api.example.com/dev', 'shop'],
    [`https://${KEY}@results.example.com/caf%C3%A9`, 'https://results.example.com', 'café'],
    [`http://${KEY}@localhost:4000/shop`, 'http://localhost:4000', 'shop'],
    [`http://${KEY}@127.0.0.1:4000/shop`, 'http://127.0.0.1:4000', 'shop'],
    [`http://${KEY}@[::1]:4000/shop`, 'http://[::1]:4000', 'shop'],
  ])('%j names the service %s and the project %s', (text, url, project) => {
    expect(parseDsn(text)).toEqual({ url, key: KEY, project });
  });

  test.each([
    ['https://results.example.com/acme/shop', 'https://results.example.com'],
    ['https://results.example.com/dev/acme/shop/', 'https://results.example.com/dev'],
    ['http://localhost:4000/acme/shop', 'http://localhost:4000'],
  ])('%j of a CI job without a key names the service %s, the organization and the project', (text, url) => {
    expect(parseDsn(text)).toEqual({ url, organization: 'acme', project: 'shop' });
  });

  test.each([
    ['', 'does not have the form https://<key>@<host>/<projectId>'],
    [KEY, 'does not have the form https://<key>@<host>/<projectId>'],
    [`${KEY}@results.example.com/shop`, 'does not have the form https://<key>@<host>/<projectId>'],
    [`ftp://${KEY}@results.example.com/shop`, 'does not begin with https://'],
    [`${KEY}:shop`, 'does not have the form https://<key>@<host>/<projectId>'],
    [`http://${KEY}@results.example.com/shop`, 'begins with http://, which would send the key unencrypted'],
    [`http://${KEY}@localhost.example.com/shop`, 'begins with http://, which would send the key unencrypted'],
    [`https://results.example.com/${KEY}`, 'has no key before the host'],
    [`https://:${KEY}@results.example.com/shop`, 'has no key before the host'],
    [`https://${KEY}:${KEY}@results.example.com/shop`, 'has a colon in its key'],
    [`https://${KEY}@results.example.com`, 'has no project id after the host'],
    [`https://${KEY}@results.example.com/`, 'has no project id after the host'],
    [`https://${KEY}@results.example.com/shop?key=${KEY}`, 'continues after the id of the project'],
    [`https://${KEY}@results.example.com/shop#${KEY}`, 'continues after the id of the project'],
    [`https://${KEY}%E0@results.example.com/shop`, 'contains a % that encodes no character'],
    [`https://${KEY}@bad host/shop`, 'does not have the form https://<key>@<host>/<projectId>'],
  ])('%j is refused with an error that says why, but does not show the key', (text, problem) => {
    const error = problemOf(text);
    expect(error).toMatchObject({ message: expect.stringContaining(`RUNDOWN_DSN ${problem}`) });
    expect(inspect(error)).not.toContain(KEY);
  });

  test('The error about an invalid DSN never shows the key, however the parts of the DSN are combined, repeated or left out', () => {
    const parts = fc.constantFrom('https:', 'http:', '//', '/', ':', '@', '?', '#', '%', ' ', 'localhost', KEY);
    fc.assert(
      fc.property(fc.array(parts, { maxLength: 12 }), (some) => {
        const result = problemOf(some.join(''));
        if (result instanceof Error) expect(inspect(result)).not.toContain(KEY);
      }),
      { numRuns: cases(500) },
    );
  });
});

describe('RUNDOWN_URL', () => {
  test.each([
    ['https://results.example.com/v1/', 'https://results.example.com'],
    ['http://localhost:4000', 'http://localhost:4000'],
    ['http://[::1]:4000/', 'http://[::1]:4000'],
  ])('%s names the service %s', (url, address) => {
    expect(normalizeServiceAddress(url)).toBe(address);
  });

  test.each([
    ['http://results.example.com', 'begins with http://, which would send the key unencrypted'],
    ['http://[::ffff:127.0.0.1]:45977', 'begins with http://, which would send the key unencrypted'],
    ['ftp://results.example.com', 'does not begin with https://'],
    ['results.example.com', 'is not an address'],
    [`https://${KEY}@results.example.com`, 'contains a key'],
  ])('%s is refused as in RUNDOWN_DSN, and the error does not show it', (url, problem) => {
    const refused = () => normalizeServiceAddress(url);
    expect(refused).toThrow(`The value of --url (RUNDOWN_URL) ${problem}`);
    expect(refused).not.toThrow(KEY);
  });
});
