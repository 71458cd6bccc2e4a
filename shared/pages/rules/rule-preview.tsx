/** §4.4.11 The tests that a rule would match. */
import type { Html } from '#shared/engine/html/html.ts';
import { counted } from '#shared/pages/design/format.tsx';
import { testHref } from '#shared/pages/shell/hrefs.ts';
import type { Preview } from '#shared/rules/preview.ts';
import type { ProjectVisit } from '#shared/sign-in/visit.ts';

interface Props {
  readonly visit: ProjectVisit;
  readonly preview: Preview | { readonly problem: string };
}

export const RulePreview = ({ visit, preview }: Props): Html =>
  'problem' in preview ? (
    <p class="notice problem-text" role="alert">
      <strong>No preview.</strong> {preview.problem}
    </p>
  ) : (
    <Matches visit={visit} preview={preview} />
  );

const Matches = ({ visit, preview }: { readonly visit: ProjectVisit; readonly preview: Preview }): Html => (
  <>
    <p role="status">
      <strong>{preview.total === 0 ? 'No test' : counted(preview.total, 'test')}</strong> of the last 14 days{' '}
      {preview.total === 1 || preview.total === 0 ? 'matches' : 'match'}.
      {preview.unknown > 0 && ` ${counted(preview.unknown, 'further test')} may match, but not all tests were checked.`}
    </p>
    <ul>
      {preview.tests.map(({ signature, spec, title }) => (
        <li>
          <a href={testHref(visit, signature)}>{title.join(' › ')}</a> <small>{spec}</small>
        </li>
      ))}
    </ul>
  </>
);
