import { describe, expect, test } from 'vitest';
import { service } from '#test/harness/service.ts';

describe('GET /health', () => {
  test('GET /health responds at the origin, outside `/v1`, without a credential', async () => {
    const { anonymous } = await service();
    expect(await anonymous.get('@/health')).toMatchObject({ status: 200, body: { status: 'OK' } });
  });
});
