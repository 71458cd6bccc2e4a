// Runs before the program, in JavaScript that every Node version understands. A version that is too old would fail on
// the first TypeScript file with an unhelpful message.
import module from 'node:module';

const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  process.stderr.write(
    `Rundown needs Node 24 or newer, this is ${process.version}. On Linux x64 "npm ci" installs it, unless it runs ` +
      'with --omit=optional. Elsewhere install Node 24 (https://nodejs.org) and try again.\n',
  );
  process.exit(1);
}

// Caches compiled code on disk, which saves CPU time at the next start.
module.enableCompileCache?.(new URL('../../cdk.out/compiled', import.meta.url).pathname);
