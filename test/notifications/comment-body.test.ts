/**
 * Titles and errors of tests come from outsiders. A comment shows them as plain text, whatever characters they contain.
 */

import fc from 'fast-check';
import type { Nodes } from 'mdast';
import { describe, expect, test } from 'vitest';
import { NO_COMMIT } from '#shared/model/runs/commit.ts';
import type { Run } from '#shared/model/runs/run.ts';
import { buildCommentBody } from '#shared/notifications/hosts/comment-body.ts';
import type { ComparedTest, RunComparison } from '#shared/results/comparisons/comparison-wire.ts';
import { hostileText } from '#test/context/hostile.ts';
import { allNodes, parse } from '#test/context/parse-back.ts';
import { cases } from '#test/harness/cases.ts';

interface Texts {
  readonly title: readonly string[];
  readonly spec: string;
  readonly groupId: string;
  readonly error: string;
  readonly build: string;
  readonly project: string;
  readonly branch: string;
}

const HARMLESS: Texts = {
  title: ['title'],
  spec: 'spec',
  groupId: 'group',
  error: 'error',
  build: 'build',
  project: 'project',
  branch: 'branch',
};

const RUN = { organizationId: 'org', projectId: 'shop', runId: 'run', commit: { ...NO_COMMIT, sha: 'a'.repeat(40) } };

function bodyWith({ title, spec, groupId, error, build, project, branch }: Texts, count = 1): string {
  const compared: ComparedTest = {
    runId: 'run',
    instanceId: 'i',
    testId: 't',
    signature: 's',
    attempts: 1,
    title: [...title],
    spec,
    groupId,
    error,
  };
  const tests = Array.from({ length: count }, () => compared);
  const cause = { id: 'c', text: error, tests: count, files: 1, received: [], values: 0 };
  const section = (verdict: RunComparison['sections'][number]['verdict']) => ({
    verdict,
    total: count,
    causeCount: 1,
    causes: [cause],
    tests,
    nextPage: false as const,
  });
  const base = {
    runId: 'base',
    ciBuildId: build,
    branch,
    sha: null,
    title: null,
    createdAt: '',
    status: 'PASSED',
  } as const;
  const comparison: RunComparison = {
    runId: 'run',
    projectId: 'shop',
    base,
    baseBranch: branch,
    isWhole: true,
    sections: [section('new'), section('still_failing'), section('flaky'), section('fixed')],
  };
  // The only properties of a run that a comment uses.
  const run = { ...RUN, ciBuildId: build } satisfies Partial<Run>;
  return buildCommentBody({
    origin: 'https://ours.example',
    marker: '<!-- rundown x -->',
    projectName: project,
    run,
    result: '1 failed of 1',
    comparison,
    problems: [error],
  });
}

/** The Markdown tree of the comment, without the content of its code spans. */
const structure = (node: Nodes): object => ({
  type: node.type,
  ...(node.type === 'html' || node.type === 'text' ? { value: node.value } : {}),
  ...(node.type === 'link' ? { url: node.url } : {}),
  ...('children' in node ? { children: node.children.map((child) => structure(child)) } : {}),
});

const hostileTexts: fc.Arbitrary<Texts> = fc.record({
  title: fc.array(hostileText, { minLength: 1, maxLength: 3 }),
  spec: hostileText,
  groupId: hostileText,
  error: hostileText,
  build: hostileText,
  project: hostileText,
  branch: hostileText,
});

describe('The text of a comment', () => {
  test('Texts that come from tests cannot change the structure, the fixed words or the links of a comment', () => {
    const expected = structure(parse(bodyWith(HARMLESS)));
    fc.assert(
      fc.property(hostileTexts, (texts) => {
        expect(structure(parse(bodyWith(texts)))).toEqual(expected);
      }),
      { numRuns: cases(200) },
    );
  });

  test.each([
    '@acme/admins',
    'fixes #1',
    'https://evil.example',
    'a@evil.example',
    ':tada:',
    '</code><img src=x>',
    '&amp;#64;a',
    '\\\\',
    '`',
    '``a`',
    '[a](b)',
    '/close',
    '!1 ~bug %2 $3',
  ])('A comment shows %s as code, in which code hosts create neither mentions nor links', (text) => {
    const tree = parse(bodyWith({ ...HARMLESS, title: [text], error: text, build: text, project: text, branch: text }));
    const code = allNodes(tree).flatMap((node) => (node.type === 'inlineCode' ? [node.value] : []));
    expect(code.filter((one) => one === text).length).toBeGreaterThanOrEqual(8);
    const others = allNodes(tree).flatMap((node) => (node.type === 'text' ? [node.value] : []));
    expect(others.filter((one) => one.includes(text))).toEqual([]);
  });

  test('A comment shows a vertical bar as a similar character that does not split a table row', () => {
    expect(bodyWith({ ...HARMLESS, title: ['a|b\\|c'] })).toContain('` a∣b\\∣c `');
  });

  test('A comment with very long texts stays below the size limit of GitHub, and links to the run for the tests that it leaves out', () => {
    const long = 'x'.repeat(5000);
    const texts = { ...HARMLESS, title: [long], error: long, spec: long, groupId: long, build: long, project: long };
    const body = bodyWith(texts, 100);
    expect(body.length).toBeLessThan(65_536);
    expect(body).toMatch(/And \d+ more in \[the run\]/);
  });
});
