/** Checks that untrusted texts in a recorded run cannot change the elements of the pages that show the run. */
import fc from 'fast-check';
import { parse } from 'parse5';
import { expect, test } from 'vitest';
import { OPERATOR } from '#shared/access/actor.ts';
import { projects } from '#shared/model/organizations/project.ts';
import { createProject } from '#shared/organizations/create-project.ts';
import { anyCharacter } from '#test/harness/any-character.ts';
import { attack } from '#test/harness/attacks.ts';
import { cases } from '#test/harness/cases.ts';
import { attribute, elementsIn } from '#test/harness/elements.ts';
import { recordRun } from '#test/harness/recording.ts';
import { attempt, COMMIT, error, failed } from '#test/harness/recording-messages.ts';
import { service } from '#test/harness/service.ts';
import { signedIn } from '#test/harness/visitor.ts';

/**
 * The number of hostile texts in each recorded run. `npm run test:deep` records 850 runs, and so shows 10,200 texts.
 */
const NAMES_PER_RUN = 12;
const MESSAGE = 5;
const OUTPUT = 6;
/**
 * The maximum length of a hostile name, so that the service does not refuse the name. Errors and output are not
 * shortened.
 */
const MOST = 60;
const HARMLESS = Array.from({ length: NAMES_PER_RUN }, (_, index) => `name ${index}`);

const ATTACKS = [
  '</script><script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "'><svg onload=alert(1)>",
  'javascript:alert(1)',
  '</title></head><body onload=alert(1)>',
  '</pre></textarea></select></table><form action=//evil.example><button>',
  '<!--',
  ']]><style>*{display:none}</style>',
  '&lt;script&gt;&#x3c;b&#62;',
  '" autofocus onfocus=alert(1) x="',
  '\u202Egnp.exe\u202C',
  '\u2066\u200B\u200D\uFEFF\u2069',
  '{{constructor}}#{7*7}',
] as const;

/** An attack on its own, next to other text, doubled, or repeated up to 10,000 characters. */
const hostile = fc
  .tuple(fc.constantFrom(...ATTACKS), fc.string({ unit: anyCharacter, maxLength: 8 }), fc.nat(19))
  .map(([attack, text, way]) => {
    const visible = text.replaceAll(/[\p{Cc}\p{Cs}]| > /gu, '');
    const ways = [attack, attack + visible, visible + attack + visible, attack + attack];
    return ways[way] ?? (way === 19 ? attack.repeat(10_000).slice(0, 10_000) : attack + visible);
  });

async function stage() {
  const here = await service();
  const guest = await signedIn(here, 'guest');
  const { organizationId, services } = here;

  /** Records a run that uses these names, and returns the structure of its pages. */
  async function structures(names: readonly string[]): Promise<string[]> {
    const [
      title = '',
      group = '',
      branch = '',
      author = '',
      commit = '',
      message = '',
      output = '',
      tag = '',
      step = '',
      build = '',
      kind = '',
      project = '',
    ] = names.map((name, index) => (index === MESSAGE || index === OUTPUT ? name : cut(name)));
    const { projectId } = await createProject(services, { organizationId, name: 'hostile', actor: OPERATOR });
    // A project of an earlier release may have a name that is refused today.
    await services.table.update(projects, { organizationId, projectId }, { set: [['name', project]] });
    const steps = [
      {
        title: step,
        category: 'test.step',
        duration: 1,
        startTime: '2026-11-02T09:59:00.000Z',
        steps: [],
        error: error(message),
      },
    ];
    const failing = failed({
      attempts: [attempt('failed', { attempt: 0, steps, stdout: [output], errors: [error(message)] })],
      tags: [tag],
      annotations: [{ type: kind, description: output }],
    });
    const run = {
      ciBuildId: build,
      commit: { ...COMMIT, branch: branch, authorName: author, message: commit },
      tags: [tag],
    };
    const spec = `${title}.spec.ts`;
    const recorded = await recordRun(
      { ...here, projectId },
      { [group]: { tests: { [`${spec} > ${title}`]: failing } } },
      run,
    );
    const runs = `/${organizationId}/${projectId}/runs`;
    const shown = await guest.get(`${runs}/${recorded.runId}`);
    const more = shown.links.filter((link) => /\/(?:instances|tests)\//.test(link) && !link.includes('#'));
    const all = [shown, ...(await Promise.all([runs, ...new Set(more)].map((path) => guest.get(path))))];
    return all.map(({ status, html }) => `${status} ${structure(html)}`);
  }
  return { structures };
}

/** Shortens a name, and replaces lone surrogates, because projects refuse names that contain them. */
const cut = (name: string): string => name.slice(0, MOST).toWellFormed();

/**
 * Returns all elements with the names of their attributes. If an attribute contains a URL, its scheme is included,
 * because a browser executes `javascript:` URLs.
 */
const structure = (html: string): string =>
  elementsIn(parse(html))
    .map((element) => {
      const names = element.attrs.map(({ name }) => name);
      const address = attribute(element, 'href') ?? attribute(element, 'src') ?? attribute(element, 'action') ?? '';
      return `${element.tagName} ${names.join()} ${/^[a-z]+:/i.exec(address)?.[0] ?? ''}`;
    })
    .join('\n');

test('Hostile texts in a run do not change the elements of the pages that show the run', async () => {
  const { structures } = await stage();
  const expected = await structures(HARMLESS);
  expect(expected.length).toBeGreaterThan(3);
  const names = fc.array(hostile, { minLength: NAMES_PER_RUN, maxLength: NAMES_PER_RUN });
  await fc.assert(
    fc.asyncProperty(names, async (some) => {
      attack('markup', some.length);
      expect(await structures(some)).toEqual(expected);
    }),
    { numRuns: cases(17, 5) },
  );
});

test('The comparison of elements detects an injected element and an injected `javascript:` URL', () => {
  expect(structure('<p>a<b>c</b></p>')).not.toBe(structure('<p>a</p>'));
  expect(structure('<a href="/x">a</a>')).not.toBe(structure('<a href="javascript:x">a</a>'));
});
