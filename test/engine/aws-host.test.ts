import { describe, expect, test } from 'vitest';
import { Artifacts } from '#shared/engine/aws/artifacts.ts';

test.each([
  ['eu-central-1', 'https://results.s3.dualstack.eu-central-1.amazonaws.com'],
  ['cn-north-1', 'https://results.s3.dualstack.cn-north-1.amazonaws.com.cn'],
])('Presigned URLs in %s use the dual-stack domain (IPv4 and IPv6) of their AWS partition', async (region, origin) => {
  const environment = { AWS_REGION: region, AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const files = new Artifacts('results', environment);
  expect(files.origin).toBe(origin);
  expect(new URL(await files.uploadUrl('uploads/a')).origin).toBe(origin);
});

test('A link that uploads a file is signed with Signature Version 4, without which S3 refuses files that a key of KMS encrypts', async () => {
  const environment = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
  const { searchParams } = new URL(await new Artifacts('results', environment).uploadUrl('uploads/a'));
  expect(searchParams.get('X-Amz-Algorithm')).toBe('AWS4-HMAC-SHA256');
});

describe.each([
  ['AWS', {}],
  ['another store', { AWS_ENDPOINT_URL_S3: 'http://127.0.0.1:9000' }],
])('An object in %s', (_, endpoint) => {
  const environment = { AWS_REGION: 'eu-central-1', AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 's', ...endpoint };
  const files = new Artifacts('results', environment);

  test.each([
    'own/../other/file',
    'own/%2e%2e/other/file',
    'own/./file',
    'own\\..\\file',
    'own/file?versionId=1',
    'own/#',
  ])('The key %s, which would lead to another object, is not signed', async (key) => {
    await expect(files.readUrl({ key, contentType: 'text/plain', fileName: 'a' })).rejects.toThrow('not the key');
    await expect(files.uploadUrl(key)).rejects.toThrow('not the key');
    await expect(files.remove(key)).rejects.toThrow('not the key');
  });
});
