/** `npm run notices` writes the notices of the bundled packages, after a dependency changed. */
import { writeFile } from 'node:fs/promises';
import { NOTICES_FILES } from './notices.ts';

for (const { path, text } of NOTICES_FILES) await writeFile(path, await text());
