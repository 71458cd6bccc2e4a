// Run before the program, in JavaScript that every Node understands: an older one would fail on the
// first TypeScript file with words that help nobody.
const [major] = process.versions.node.split('.');
if (Number(major) < 24) {
  process.stderr.write(
    `Rundown needs Node 24 or newer, this is ${process.version}. On Linux x64 "npm ci" brings it along, unless it runs ` +
      'with --omit=optional. Elsewhere install Node 24 (https://nodejs.org) and try again.\n',
  );
  process.exit(1);
}
