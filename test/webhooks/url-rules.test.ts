import { describe, expect, test } from 'vitest';
import { findUrlProblem } from '#shared/sending/url-rules.ts';

const PUBLIC_ONLY = { privateReceivers: 'none' as const };
const WITHIN = { privateReceivers: 'machine' as const };

describe('the URL of a webhook', () => {
  test.each([
    'https://example.com',
    'https://example.com/hook?token=a%20b',
    'https://example.com:443/hook',
    'https://example.com:8443/hook',
    'https://bücher.example/hook',
    'https://93.184.216.34/hook',
    'https://[2606:4700:4700::1111]/hook',
    `https://example.com/${'a'.repeat(2028)}`,
  ])('can be %s', (url) => {
    expect(findUrlProblem(url, PUBLIC_ONLY)).toBeUndefined();
    expect(findUrlProblem(url, WITHIN)).toBeUndefined();
  });

  test.each([
    ['text that is not a URL', 'hook', /absolute/],
    ['empty text', '', /absolute/],
    ['a relative URL', '/hook', /absolute/],
    ['a URL longer than 2,048 characters', `https://example.com/${'a'.repeat(2029)}`, /shorter/],
    ['a URL of another scheme', 'ftp://example.com/hook', /https:/],
    ['a file URL', 'file:///etc/passwd', /https:/],
    ['a script URL', 'javascript:alert(1)', /https:/],
    ['a URL with a user name', 'https://user@example.com/', /Authorization/],
    ['a URL with a password', 'https://user:password@example.com/', /Authorization/],
    ['a URL with an empty user name', 'https://@example.com/', /Authorization/],
    ['a URL with a fragment', 'https://example.com/#part', /Remove the `#`/],
    ['a URL with an empty fragment', 'https://example.com/#', /Remove the `#`/],
    ['a URL with a backslash', 'https://example.com\\@127.0.0.1/', /backslashes/],
    ['a URL with a tab', 'https://exam\tple.com/', /spaces/],
    ['a URL with a line break at the end', 'https://example.com/\n', /spaces/],
    ['a URL with a space', 'https://example.com/a b', /spaces/],
    ['a URL with the port of another service', 'https://example.com:22/', /Use port 443/],
    ['a URL with the port of plain HTTP', 'https://example.com:80/', /Use port 443/],
    ['a URL with port 0', 'https://example.com:0/', /Use port 443/],
    ['a URL with port 1023', 'https://example.com:1023/', /Use port 443/],
  ])('cannot be %s, and the error says how to correct it', (_, url, advice) => {
    expect(findUrlProblem(url, PUBLIC_ONLY)).toMatch(advice);
    expect(findUrlProblem(url, WITHIN)).toMatch(advice);
  });

  test.each([
    'http://example.com/hook',
    'http://example.com:8080/hook',
    'https://localhost/hook',
    'https://hook.localhost./hook',
    'https://127.0.0.1/hook',
    'https://0x7f.1/hook',
    'https://[::1]:3000/hook',
    'https://192.168.0.4:3000/hook',
    'http://100.64.0.1/hook',
  ])('can be %s only if private receivers are allowed', (url) => {
    expect(findUrlProblem(url, PUBLIC_ONLY)).toMatch(/^The URL does not begin|ask the operator/);
    expect(findUrlProblem(url, WITHIN)).toBeUndefined();
  });

  test.each([
    'http://169.254.169.254/latest/meta-data/',
    'http://[fd00:ec2::254]/latest/meta-data/',
    'http://[::ffff:169.254.169.254]/',
    'http://168.63.129.16/',
    'http://0.0.0.0:3000/',
    'http://[fe80::1]/',
    'http://224.0.0.1/',
  ])('cannot be %s, even if private receivers are allowed', (url) => {
    expect(findUrlProblem(url, WITHIN)).toMatch(/^This service may not send to/);
  });
});
