import { glob, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { PROJECT } from '#infra/build/declarations.ts';
import { createToken } from '#shared/access/token.ts';
import { createSigningSecret } from '#shared/webhooks/sign.ts';
import { refuseSecrets } from './harness/secrets.ts';

describe('published files and output', () => {
  test('Published files contain no credential, not even in examples, recordings or expected responses', async () => {
    const files: string[] = [];
    for await (const file of glob('{.ci/*,*.*,functions/**,infra/**,shared/**,test/**}', { cwd: PROJECT }))
      files.push(file);
    expect(files.length).toBeGreaterThan(300);
    for (const file of files) {
      const text = await readFile(join(PROJECT, file), 'latin1').catch(() => '');
      expect(() => refuseSecrets(file, text)).not.toThrow();
    }
  });

  test.each([
    ['an API key', createToken('apiKey')],
    ['a personal token', createToken('personalToken')],
    ['an access token', `${base64('{"alg":"ES256"}')}.${base64('{"sub":"somebody"}')}.${'s'.repeat(40)}`],
    ['a signing secret', createSigningSecret()],
  ])('The check of published files and output detects %s inside a text, but not its beginning alone', (_, secret) => {
    expect(() => refuseSecrets('A line', `{"error":"bad ${secret}"}`)).toThrow('A line contains a credential');
    expect(() => refuseSecrets('A line', secret.slice(0, 20))).not.toThrow();
  });
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64url');
}
