/** Downloads uploaded files. A download link works only after the service has confirmed the upload. */
import { expect } from 'vitest';

/** Waits until the file is confirmed, and returns the response to its download link. */
export async function confirmed(link: string): Promise<Response> {
  const status = async () => {
    const response = await fetch(link);
    await response.arrayBuffer();
    return response.status;
  };
  await expect.poll(status).toBe(200);
  return fetch(link);
}
