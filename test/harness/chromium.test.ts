import { once } from 'node:events';
import { readdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { brotliCompressSync } from 'node:zlib';
import { expect, onTestFinished, test } from 'vitest';
import { bind, getPort } from '#infra/local/host/loopback.ts';
import { failingRun } from '#test/harness/failing-run.ts';
import { start, temporaryFolder } from '#test/infra/local/child.ts';
import { describeInChromium, profile } from './chromium.ts';
import { ARCHIVES, unpackChromium } from './unpack-chromium.ts';
import { signedIn } from './visitor.ts';

describeInChromium('Chromium', () => {
  test('If two calls unpack Chromium at the same time, one complete copy remains', async () => {
    const cache = await temporaryFolder();
    const archives = await temporaryFolder();
    // A small file replaces Chromium here, because unpacking Chromium takes two CPU seconds, and the tests that use
    // Chromium already cover it.
    for (const name of ['al2023.tar.br', 'fonts.tar.br', 'swiftshader.tar.br'])
      await symlink(join(ARCHIVES, name), join(archives, name));
    await writeFile(join(archives, 'chromium.br'), brotliCompressSync('Chromium'));
    const [one, other] = await Promise.all([unpackChromium(cache, archives), unpackChromium(cache, archives)]);
    expect(one).toEqual(other);
    expect(await readFile(one.executablePath, 'utf8')).toBe('Chromium');
    const folders = await readdir(cache);
    expect(folders).toHaveLength(1);
    const libraries = await readdir(join(cache, folders[0] ?? '', 'al2023/lib'));
    expect(libraries).toEqual(expect.arrayContaining(['libnss3.so', 'libnspr4.so', 'libexpat.so.1']));
  });

  test('Chromium exits with the process that started it, even if that process is killed', async () => {
    const server = createServer((_, response) => response.writeHead(200, { 'content-type': 'text/html' }).write('<p>'));
    await bind(server, 0);
    onTestFinished(() => void server.close());
    const connected = once(server, 'connection');
    const child = start(['test/harness/hold-chromium.ts', `http://127.0.0.1:${getPort(server)}/`]);
    const [socket] = await connected;
    const closed = once(socket, 'close');
    child.kill('SIGKILL');
    await closed;
    expect(socket.destroyed).toBe(true);
  });

  test('A browser profile is signed in as its visitor, and Chromium enforces the Content Security Policy of a page', async () => {
    const stage = await failingRun();
    const context = await profile(stage.origin, await signedIn(stage, 'guest'));
    const page = await context.newPage();
    const blocked: string[] = [];
    page.on('console', (message) => blocked.push(message.text()));
    await page.goto('/');
    expect(new URL(page.url()).pathname).toBe(`/${stage.organizationId}`);
    const reached = await page.evaluate(`fetch('http://127.0.0.1:1/').then(() => true, () => false)`);
    expect(reached).toBe(false);
    expect(blocked.join('\n')).toContain('Content Security Policy');
  });
});
