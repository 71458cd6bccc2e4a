/** How requests to the object store are retried after error responses and network failures. */
import { describe, expect, test } from 'vitest';
import { Artifacts } from '#shared/engine/aws/artifacts.ts';
import { receiver } from '#test/harness/receiver.ts';

/** Starts an object store that responds with these statuses and then with the file. Status 0 drops the connection. */
async function storeThatAnswers(...statusCodes: readonly number[]) {
  const left = [...statusCodes];
  const { url, received } = await receiver((response) => {
    const statusCode = left.shift() ?? 200;
    if (statusCode === 0) response.destroy();
    else response.writeHead(statusCode).end('file');
  });
  const files = new Artifacts('bucket', { AWS_ENDPOINT_URL_S3: new URL(url).origin });
  return { read: () => files.range('key', 0, 4), received };
}

describe('A request to the object store', () => {
  test.each([[[503]], [[500, 503]], [[429]], [[0]], [[0, 500]]])(
    'is retried after the responses %j, where 0 is a dropped connection',
    async (statusCodes) => {
      const { read, received } = await storeThatAnswers(...statusCodes);
      expect(Buffer.from((await read()) ?? []).toString()).toBe('file');
      expect(received).toHaveLength(statusCodes.length + 1);
    },
  );

  test.each([
    [503, 503, 503, 503],
    [0, 0, 0, 0],
  ])('fails after three attempts with the status %i, where 0 is a dropped connection', async (...statusCodes) => {
    const { read, received } = await storeThatAnswers(...statusCodes);
    await expect(read()).rejects.toThrow();
    expect(received).toHaveLength(3);
  });

  test.each([400, 403])('is not retried after a refusal with %i', async (statusCode) => {
    const { read, received } = await storeThatAnswers(statusCode);
    await expect(read()).rejects.toThrow(`with status ${statusCode}`);
    expect(received).toHaveLength(1);
  });

  test('is not retried if the file does not exist', async () => {
    const { read, received } = await storeThatAnswers(404);
    expect(await read()).toBeUndefined();
    expect(received).toHaveLength(1);
  });
});
