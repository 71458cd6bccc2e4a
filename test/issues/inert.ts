/**
 * Checks that a written text consists of nothing but the given blocks: it has no mention, reference, address, command
 * or markup of its own. Each format is read back by its own rules.
 */
import { expect } from 'vitest';
import { makeVisible } from '#shared/engine/plain-text.ts';
import type { TextBlock, TextSpan } from '#shared/issues/text/blocks.ts';
import { allNodes, OURS, parse } from '#test/context/parse-back.ts';
import { AdfDocument, textOfAdf } from '#test/harness/trackers/adf-schema.ts';

/** What people see of the blocks, without whitespace, because formats may join or trim whitespace. */
const shownIn = (blocks: readonly TextBlock[]): string => spaceless(blocks.map(textOf).join('\n'));

function textOf(block: TextBlock): string {
  if (block.kind === 'code') return makeVisible(block.text);
  const spans: readonly TextSpan[] = block.kind === 'list' ? block.items.flat() : block.spans;
  return spans.map(({ text }) => makeVisible(text)).join('');
}

const spaceless = (text: string): string => text.replaceAll(/\s/g, '');

/** Signs of mentions, references and markup in the Markdown of GitHub, GitLab and Linear. */
const ACTIVE = [
  /[@#!~%$&^*_`<>[\]{}|\\=+/]/,
  /:[\w+-]+:/,
  /[a-z]-\d/i,
  /[\p{L}\d]\.[\p{L}]/u,
  /(?<![\p{L}\d])[\da-f]{7,40}(?![\p{L}\d])/iu,
];

const NODES = ['root', 'paragraph', 'text', 'inlineCode', 'code', 'list', 'listItem', 'link'];

/** How GitLab finds quick actions: it skips fenced code, and takes lines that begin with a slash. */
const QUICK_ACTION = /^```[\s\S]+?\n```$|^\/[a-z_]+/gim;

export function expectInertMarkdown(markdown: string, blocks: readonly TextBlock[]): void {
  const nodes = allNodes(parse(markdown));
  const texts: string[] = [];
  for (const node of nodes) {
    expect(NODES).toContain(node.type);
    if (node.type === 'link') expect(node.url.startsWith(OURS)).toBe(true);
    if (node.type === 'text') for (const sign of ACTIVE) expect(node.value).not.toMatch(sign);
    if (node.type === 'text' || node.type === 'inlineCode' || node.type === 'code') texts.push(node.value);
  }
  expect(spaceless(texts.join(''))).toBe(shownIn(blocks));
  for (const [found] of markdown.matchAll(QUICK_ACTION)) expect(found.startsWith('/')).toBe(false);
}

export function expectInertAdf(document: unknown, blocks: readonly TextBlock[]): void {
  const read = AdfDocument.parse(document);
  expect(spaceless(textOfAdf(read))).toBe(shownIn(blocks));
  for (const { href } of hrefsIn(read)) expect(href.startsWith(OURS)).toBe(true);
}

function hrefsIn(document: AdfDocument): { readonly href: string }[] {
  const lines = document.content.flatMap((block) =>
    block.type === 'bulletList'
      ? block.content.flatMap((item) => item.content)
      : block.type === 'paragraph'
        ? [block]
        : [],
  );
  const marks = lines.flatMap((line) => line.content.flatMap((text) => text.marks ?? []));
  return marks.flatMap((mark) => (mark.type === 'link' ? [mark.attrs] : []));
}

const REFERENCE = /&#(\d+);/g;
const LINK = /\[([^[\]|]*)\|([^[\]|]*)\]/g;

/**
 * Outside of `{noformat}` and Rundown's own markup, ASCII punctuation must be written as references such as `&#64;`.
 * Only commas and periods at the end of a word may be plain, except in the first word of a line, because `h1.` and
 * `bq.` are markup there.
 */
export function expectInertWiki(wiki: string, blocks: readonly TextBlock[]): void {
  const shown: string[] = [];
  let isCode = false;
  for (const line of wiki.split('\n')) {
    if (line === '{noformat}') isCode = !isCode;
    else if (isCode) {
      expect(line).not.toMatch(/\{noformat/i);
      shown.push(line);
    } else shown.push(shownOfWikiLine(line));
  }
  expect(isCode).toBe(false);
  expect(spaceless(shown.join('\n'))).toBe(shownIn(blocks));
}

function shownOfWikiLine(line: string): string {
  const marked = line.replace(/^\* /, '').replaceAll(LINK, (_, label: string, url: string) => {
    expect(url.startsWith(OURS)).toBe(true);
    expect(url).not.toMatch(/[\s{}*]/);
    return ` ${label} `;
  });
  const text = marked.replaceAll(/\{\{|\}\}/g, ' ');
  const bare = text.replaceAll(REFERENCE, '');
  expect(bare.replaceAll(/[.,](?= |$)/g, '')).not.toMatch(/[!-/:-@[-`{-~]/);
  expect(text.replaceAll(REFERENCE, 'x')).not.toMatch(/^\s*\S*[.,]/);
  return text.replaceAll(REFERENCE, (_, code: string) => String.fromCodePoint(Number(code)));
}
