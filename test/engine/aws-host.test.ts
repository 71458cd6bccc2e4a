import { expect, test } from 'vitest';
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
