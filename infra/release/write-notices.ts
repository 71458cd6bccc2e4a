/** `npm run notices`: writes the notices of the bundled packages. Run it after a dependency has changed. */
import { writeFile } from 'node:fs/promises';
import { listBundledPackages } from './bundled-packages.ts';
import { buildNoticesFiles } from './notices.ts';

for (const { path, text } of await buildNoticesFiles(await listBundledPackages())) await writeFile(path, text);
