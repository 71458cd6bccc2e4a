/** The guides that the service shows at `/docs`, parsed from the Markdown files of the project. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Heading, Nodes, Root, RootContent } from 'mdast';
import { fromMarkdown } from 'mdast-util-from-markdown';
import { gfmFromMarkdown } from 'mdast-util-gfm';
import { gfm } from 'micromark-extension-gfm';

const PROJECT = join(import.meta.dirname, '../..');

const FILES = {
  reporters: join(PROJECT, 'infra/client/package/README.md'),
  api: join(PROJECT, 'functions/README.md'),
  provisioning: join(PROJECT, 'functions/directory/README.md'),
  changelog: join(PROJECT, 'CHANGELOG.md'),
};

export const GUIDE_FILES: readonly string[] = Object.values(FILES);

/** The guides by the last segment of their addresses. */
export const parseGuides = (): Readonly<Record<keyof typeof FILES, Root>> => ({
  reporters: parseGuide(FILES.reporters),
  api: parseGuide(FILES.api),
  provisioning: parseGuide(FILES.provisioning),
  changelog: parseGuide(FILES.changelog),
});

function parseGuide(file: string): Root {
  const text = readFileSync(file, 'utf8');
  const root = fromMarkdown(text, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  removePositions(root);
  return { ...root, children: listServedNodes(root) };
}

/** The sections that are for people who work on Rundown, or at least have its repository. */
const REPOSITORY_SECTIONS = ['In a clone of Rundown', 'Decisions'];

function listServedNodes({ children }: Root): RootContent[] {
  let isServed = true;
  return children.filter((node) => {
    if (node.type === 'heading' && node.depth <= 2) isServed = !REPOSITORY_SECTIONS.some((name) => isNamed(node, name));
    return isServed;
  });
}

const isNamed = ({ children: [first] }: Heading, name: string): boolean =>
  first?.type === 'text' && first.value === name;

/** Removes the positions in the Markdown file, which would make up most of the bundled text. */
function removePositions(node: Nodes): void {
  delete node.position;
  if ('children' in node) for (const child of node.children) removePositions(child);
}
