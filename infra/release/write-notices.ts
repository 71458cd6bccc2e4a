/** `npm run notices`: writes the notices of the bundled packages. Run it after a dependency has changed. */
import { writeFile } from 'node:fs/promises';
import { bundledPackages } from './bundled-packages.ts';
import { noticesFiles } from './notices.ts';

for (const { path, text } of await noticesFiles(await bundledPackages())) await writeFile(path, text);
