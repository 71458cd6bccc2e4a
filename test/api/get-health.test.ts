import { describe, expect, test } from 'vitest';
import { keepOutbox, service } from '#test/harness/service.ts';

keepOutbox();

describe('GET /health', () => {
  test('responds at the origin without a credential', async () => {
    const { anonymous } = await service();
    expect(await anonymous.get('@/health')).toMatchObject({ status: 200, body: { status: 'OK' } });
  });
});
