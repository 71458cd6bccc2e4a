/** Parts of libraries that a Lambda function never runs, replaced while bundling. Each needs the reason beside it. */
import { readFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { Plugin } from 'esbuild';
import { AWS_TRIMS } from './trim-aws.ts';

export interface Trim {
  readonly file: RegExp;
  readonly becomes: string | ((source: string) => string);
}

const NOTHING = 'module.exports = {};';

const TRIMS: readonly Trim[] = [
  ...AWS_TRIMS,
  // JSON Schema is made at build time (infra/openapi.ts); functions only parse.
  { file: /zod\/v4\/core\/(to-json-schema|json-schema-processors)\.js$/, becomes: NOTHING },
  // What it remembers is for values that contain themselves, which JSON cannot write.
  {
    file: /zod\/v4\/core\/memoizer\.js$/,
    becomes: `export const memoizer = () => undefined;
      export const isBackEdge = () => false;
      export const isRecursiveSchema = () => true;`,
  },
  {
    // Callers get the words of shared/http/problem.ts; these are for the log, where the path and the code say enough.
    file: /zod\/v4\/locales\/en\.js$/,
    becomes: `export default () => ({
        localeError: ({ code, expected, format }) => 'Invalid input: ' + (expected ?? format ?? code),
      });`,
  },
  {
    // The nodes that pages of shared/context/markdown consist of. Another one fails loudly.
    file: /mdast-util-to-markdown\/lib\/handle\/index\.js$/,
    becomes: `import { code } from './code.js'; import { heading } from './heading.js'; import { link } from './link.js';
      import { inlineCode } from './inline-code.js'; import { list } from './list.js'; import { root } from './root.js';
      import { listItem } from './list-item.js'; import { paragraph } from './paragraph.js'; import { text } from './text.js';
      export const handle = { code, heading, inlineCode, link, list, listItem, paragraph, root, text };`,
  },
  {
    // Names of references (with a table of 2,000 characters), headings of several lines, bare addresses: pages have none,
    // and are written as a whole.
    file: /(mdast-util-to-markdown\/lib\/util\/(association|format-(heading|link)-as-\w+)|(unist-util-visit|mdast-util-(phrasing|to-string))\/index)\.js$/,
    becomes: `const never = () => undefined;
      export { never as association, never as formatHeadingAsSetext, never as formatLinkAsAutolink, never as visit,
        never as EXIT, never as phrasing, never as toString };`,
  },
  {
    // Checks of options, which are constants in write.ts there.
    file: /mdast-util-to-markdown\/lib\/util\/check-(bullet|bullet-other|bullet-ordered|fence|list-item-indent|quote|rule)\.js$/,
    becomes: `export const checkBullet = () => '-', checkBulletOther = () => '*', checkBulletOrdered = () => '.';
      export const checkFence = () => '\`', checkListItemIndent = () => 'one', checkQuote = () => '"', checkRule = () => '*';`,
  },
];

export const trim: Plugin = {
  name: 'trim',
  setup(build) {
    build.onLoad({ filter: /node_modules/ }, async ({ path }) => {
      const found = TRIMS.find(({ file }) => file.test(path.replaceAll('\\', '/')));
      if (!found) return undefined;
      const { becomes } = found;
      const contents = typeof becomes === 'string' ? becomes : becomes(await readFile(path, 'utf8'));
      return { contents, loader: 'js', resolveDir: dirname(path) };
    });
  },
};
