/** `/styleguide` of `npm start`: every component of the pages in each of its states. */
import { readError } from '#shared/errors/read-error.ts';
import { Assertion } from '#shared/pages/design/assertion.tsx';
import { DataTable, numbers } from '#shared/pages/design/data-table.tsx';
import { CheckField, CheckGroup, RadioField, SelectField, TextArea, TextField } from '#shared/pages/design/fields.tsx';
import { Icon, Sprite } from '#shared/pages/design/icon.tsx';
import { ICONS, type IconName } from '#shared/pages/design/icons.ts';
import { OutcomeBadge, OutcomeCounts, OutcomeMark, type ShownOutcome } from '#shared/pages/design/outcome.tsx';
import {
  Alternatives,
  Avatar,
  EmptyState,
  GroupHead,
  Logo,
  Menu,
  Notice,
  PageHead,
  Panel,
  Segments,
  Summary,
  Tabs,
  Tile,
} from '#shared/pages/design/parts.tsx';
import { ProportionBar } from '#shared/pages/design/proportion-bar.tsx';
import { Strip } from '#shared/pages/design/strip.tsx';
import { TimeChart } from '#shared/pages/design/time-chart.tsx';

const OUTCOMES: readonly ShownOutcome[] = ['passed', 'failed', 'flaky', 'running', 'pending', 'skipped'];
const COUNTS = { passes: 108, failures: 3, skipped: 1, pending: 4, flaky: 2 };
const ICON_NAMES = Object.keys(ICONS).filter((name): name is IconName => name in ICONS);
const HERE = '#main';
const COLOURS = [
  'canvas',
  'surface',
  'sunken',
  'text',
  'text-2',
  'text-3',
  'accent',
  'fail',
  'pass',
  'flaky',
  'run',
  'skip',
];

const FAILURE = readError({
  message: [
    'Error: expect(locator).toHaveText(expected) failed',
    '',
    "Locator:  getByTestId('stock')",
    'Expected: "reserved for you"',
    'Received: "busy"',
    'Timeout:  5000ms',
  ].join('\n'),
  stack: null,
  snippet: [
    "  40 |   await page.getByRole('button', { name: 'Reserve' }).click();",
    "> 41 |   await expect(page.getByTestId('stock')).toHaveText('reserved for you');",
    '     |                                           ^',
    '  42 | });',
  ].join('\n'),
});
const DIFFERENCE = readError({
  message:
    'expect(received).toEqual(expected)\n\n- Expected\n+ Received\n\n  Object {\n-   "price": 1890,\n+   "price": 1899,\n  }',
  stack: null,
});

/** `theme`: the theme that the person chose, or `system`. `sheets`: the addresses of the style sheets. */
export function renderStyleguide(sheets: readonly string[], theme: string): string {
  const body = (
    <main id="main">
      <PageHead
        title={['Rundown', 'Style guide']}
        meta="Every component in each of its states"
        actions={
          <>
            <a href="?theme=light">Light</a> <a href="?theme=dark">Dark</a>
          </>
        }
      />
      <div class="stack">
        <Panel title="Colors">
          <div class="row">
            {COLOURS.map((name) => (
              <span>
                <svg width="28" height="28" aria-hidden="true">
                  <rect x="0" width="28" height="28" rx="6" fill={`var(--${name})`} stroke="var(--line-strong)" />
                </svg>{' '}
                <small>{name}</small>
              </span>
            ))}
          </div>
        </Panel>
        <Panel title="Text">
          <h3>A heading within a panel</h3>
          <p>
            Running text with <a href={HERE}>a link to this part</a>, <b>bold</b>, <em>emphasis</em>, <code>code</code>,
            a <mark>mark</mark> and <kbd>Ctrl K</kbd>. <small>Small text.</small> <span class="soft">Soft text.</span>
          </p>
          <pre>{'npx playwright test\n  3 failed, 108 passed'}</pre>
        </Panel>
        <Panel title="Buttons">
          <div class="actions">
            <button type="button">Primary</button>
            <button type="button" class="quiet">
              <Icon name="pencil" />
              Quiet
            </button>
            <button type="button" class="danger">
              Danger
            </button>
            <button type="button" class="quiet small">
              Small
            </button>
            <a class="button quiet" href={HERE}>
              A button that is a link
            </a>
          </div>
        </Panel>
        <Panel title="Outcomes">
          <p class="row">
            {OUTCOMES.map((outcome) => (
              <OutcomeBadge outcome={outcome} />
            ))}
          </p>
          <p class="row">
            {OUTCOMES.map((outcome) => (
              <OutcomeMark outcome={outcome} />
            ))}
          </p>
          <ProportionBar counts={COUNTS} />
          <OutcomeCounts counts={COUNTS} />
          <ProportionBar counts={{ ...COUNTS, failures: 0 }} total={300} />
          <Strip
            label="Executions"
            boxes={OUTCOMES.concat(OUTCOMES).map((outcome, index) => ({
              outcome,
              label: outcome,
              href: HERE,
              isCurrent: index === 2,
            }))}
          />
        </Panel>
        {OUTCOMES.map((outcome) => (
          <PageHead title={['payment', `The head of a page: ${outcome}`]} outcome={{ outcome }} />
        ))}
        <Summary below={<span class="soft">A remark below the numbers</span>}>
          <Tile
            label="Failed"
            value={
              <>
                3 <small>of 112 tests</small>
              </>
            }
            tone="failed"
            note="2 new"
          />
          <Tile label="Flaky" value="2" tone="flaky" note="passed on a retry" />
          <Tile label="Passed" value="106" tone="passed" />
          <Tile label="Duration" value="2m 40s" note="6 s slower than the base run" />
        </Summary>
        <Panel title="Notices">
          <Notice>Neutral information.</Notice>
          <Notice tone="passed">Something went well.</Notice>
          <Notice tone="flaky">Something needs attention.</Notice>
          <Notice tone="failed">Something went wrong.</Notice>
        </Panel>
        <GroupHead title="The heading of a group" note="with a remark" />
        <Panel
          title="A panel"
          note="with a remark"
          actions={<a href={HERE}>An action</a>}
          footer={<span>A footer</span>}
        >
          <p>Its content.</p>
        </Panel>
        <Panel title="Rows" isFlush>
          <ul class="rows whole">
            {(['failed', 'passed'] as const).map((outcome) => (
              <li>
                <OutcomeMark outcome={outcome} />
                <div class="grow">
                  <a class="whole-link" href={HERE}>
                    <span class="path">payment › </span>shows why the bank declined a card
                  </a>
                  <div class="meta">
                    <span>
                      <Avatar name="Sam Field" />
                      Sam Field
                    </span>
                    <code>30998b9</code>
                  </div>
                </div>
                <span class="soft">44 min ago</span>
              </li>
            ))}
          </ul>
        </Panel>
        <Panel title="A table" isFlush>
          <DataTable label="Tests" columns={['Test', ...numbers('Executions', 'Duration')]}>
            <tr>
              <th scope="row">
                <a href={HERE}>reserves the last piece in stock</a>
              </th>
              <td class="number">29</td>
              <td class="number">1.2 s</td>
            </tr>
          </DataTable>
        </Panel>
        <EmptyState icon="inbox" title="An empty list">
          <p>Explains why the list is empty, and what to do.</p>
        </EmptyState>
        <Panel title="Choices">
          <div class="row">
            <Segments
              label="Period"
              choices={['7 days', '14 days', '30 days'].map((name, index) => ({
                name,
                href: HERE,
                isCurrent: index === 1,
              }))}
            />
            <Menu label="More actions">
              <a href={HERE}>An action</a>
            </Menu>
            <a class="chip" href={HERE}>
              <span>
                Branch is <b>main</b>
              </span>
              <Icon name="x" size="small" />
            </a>
            <span class="tag">nightly</span>
          </div>
          <Tabs
            label="Kinds"
            tabs={['All', 'New', 'Fixed'].map((name, index) => ({
              name,
              href: HERE,
              isCurrent: index === 0,
              count: 3 - index,
            }))}
          />
          <Alternatives
            legend="Alternatives"
            name="alternative"
            alternatives={['First', 'Second'].map((name) => ({
              name,
              note: 'with a note',
              content: <pre class="wrap">{name} content</pre>,
            }))}
          />
        </Panel>
        <Panel title="Fields">
          <TextField label="Name" name="name" value="Shop" hint="Shown to everyone" />
          <TextField label="Refused" name="refused" value="no such day" problem="Enter a date such as 2026-11-02" />
          <SelectField label="Choice" name="choice" value="b" options={[{ value: 'b', label: 'the second one' }]} />
          <TextArea label="Several lines" name="lines" rows={2} value={'one\ntwo'} />
          <CheckField label="A check box" name="check" value="yes" checked />
          <CheckGroup legend="One of several" name="one" problem={undefined}>
            <RadioField label="this" name="one" value="this" checked />
            <RadioField label="that" name="one" value="that" />
          </CheckGroup>
        </Panel>
        <Panel title="An assertion">
          <Assertion reading={FAILURE} />
        </Panel>
        <Panel title="A difference, in a list">
          <Assertion reading={DIFFERENCE} isShort />
        </Panel>
        <Panel title="Charts">
          <TimeChart
            label="Tests"
            series={[
              { name: 'passed', tone: 'passed' },
              { name: 'failed', tone: 'failed' },
            ]}
            buckets={['21 Nov', '22 Nov', '23 Nov', '24 Nov'].map((name, index) => ({
              name,
              values: [80 + 7 * index, index * 3],
              href: HERE,
            }))}
          />
          <TimeChart
            label="Duration"
            kind="line"
            series={[{ name: 'duration', tone: 'c1' }]}
            buckets={['21 Nov', '22 Nov', '23 Nov', '24 Nov'].map((name, index) => ({
              name,
              values: [index === 2 ? null : 40 + 9 * index],
            }))}
          />
        </Panel>
        <Panel title="Marks and icons">
          <p class="row">
            <Logo />
            {['Ada Byron', 'kim', 'Robin Hill', 'sam.field', 'Zoë'].map((name) => (
              <Avatar name={name} />
            ))}
          </p>
          <p class="row">
            {ICON_NAMES.map((name) => (
              <span title={name}>
                <Icon name={name} size="large" />
              </span>
            ))}
          </p>
        </Panel>
      </div>
    </main>
  );
  return `<!DOCTYPE html>${(
    <html lang="en" data-theme={theme}>
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <title>Style guide · Rundown</title>
        {sheets.map((sheet) => (
          <link rel="stylesheet" href={sheet} />
        ))}
      </head>
      <body>
        <Sprite of={body} />
        {body}
      </body>
    </html>
  )}`;
}
