/** The invented history of runs, in the format of `currents upload`. It depends on the start time, not on the clock. */
import { buildAccountingRuns } from './accounting.ts';
import { buildAttempts, findLastAttemptEnd } from './attempts.ts';
import { buildMonorepoRuns } from './monorepo.ts';
import { drawFraction, drawHex } from './noise.ts';
import { formatBuildId, type PlannedRun, planRuns } from './plan.ts';
import { computeTestDuration, decideHappening, NODE_JOBS, type StoryTest } from './plot.ts';
import { buildRunFacts } from './run-facts.ts';
import type { SentTest, StoryInstance, StoryMachine, StoryRun } from './story-run.ts';
import { buildWholesaleRuns } from './wholesale.ts';

/** All runs, newest first. `start`: time of the first start, in epoch milliseconds. */
export const buildStory = (start: number): StoryRun[] =>
  [...planRuns(start).map(buildStoryRun), ...buildWholesaleRuns(start), ...buildAccountingRuns(start)].toSorted(
    (one, other) => other.createdAt - one.createdAt,
  );

/** The runs that only `--huge` records, because recording them takes as long as all others. */
export const buildHugeStory = (start: number): StoryRun[] => buildMonorepoRuns(start);

/** Failures that are older than this number of days have no files, as if their retention had ended. */
const FILES_DAYS = 13;
/** Spec files that the second browser runs. */
const IN_SECOND_BROWSER = /^(cart|search|checkout|account)/;
const MACHINES = { shop: 3, warehouse: 2 } as const;
const RETRIES = { shop: 1, warehouse: 0 } as const;
/** The minimum time that a machine takes to install packages before its first test. */
const SETUP_MILLISECONDS = { shop: 9000, warehouse: 2500 } as const;

function buildStoryRun(run: PlannedRun): StoryRun {
  const files = run.groups.map((group) => ({ group, specs: listSpecs(run, group) }));
  const machines = splitJobs(run).flatMap((one) =>
    files.flatMap(({ group, specs }) => buildTryMachines(one, group, specs)),
  );
  const executedSpecs = new Set(machines.flatMap(({ instances }) => instances.map(({ spec }) => spec)));
  const isExpected = (spec: string): boolean => run.attempt === 1 || executedSpecs.has(spec);
  const { ciBuildId, createdAt, project, special } = run;
  return {
    ciBuildId,
    createdAt,
    project,
    ...(special ? { special } : {}),
    ...(special === 'broken teardown' ? { error: BROKEN_TEARDOWN } : {}),
    facts: buildRunFacts(run),
    suite: files.map(({ group, specs }) =>
      buildSuiteGroup(
        run,
        group,
        specs.filter(([spec]) => isExpected(spec)),
      ),
    ),
    machines: dropUnrunSpecs(run, machines).toSorted((one, other) => one.endsAt - other.endsAt),
  };
}

/** The run as each of its jobs sees it. Their times differ, as those of real jobs do. */
const splitJobs = (run: PlannedRun): readonly PlannedRun[] =>
  run.special === 'two jobs' ? NODE_JOBS.map((job) => ({ ...run, job, ciBuildId: `${run.ciBuildId}-${job}` })) : [run];

/** A later try runs only the machines that failed in the first one. */
function buildTryMachines(run: PlannedRun, group: string, specs: Specs): StoryMachine[] {
  const machines = buildMachines(run, group, specs);
  if (run.attempt === 1) return machines;
  const before = buildMachines({ ...run, attempt: 1, ciBuildId: formatBuildId(run) }, group, specs);
  return machines.filter((_, index) => before[index]?.instances.some(hasFailed));
}

const hasFailed = ({ results }: StoryInstance): boolean => results.tests.some(({ state }) => state === 'failed');

type Specs = readonly (readonly [spec: string, tests: readonly StoryTest[]])[];

function listSpecs({ project, branch }: PlannedRun, group: string): Specs {
  const suite = { ...SUITES[project], ...(branch === 'feature/gift-cards' ? SUITES.giftCards : {}) };
  return Object.entries(suite)
    .filter(([spec]) => group !== 'firefox' || IN_SECOND_BROWSER.test(spec))
    .map(([spec, names]) => {
      const tests = names.map((name) => {
        const [title = '', ...tags] = name.split(/ (?=@)/);
        return { spec, title: title.split(' › '), tags: tags.map((tag) => tag.slice(1)) };
      });
      return [spec, tests];
    });
}

const makeStoryTestId = (group: string, { spec, title }: StoryTest): string =>
  drawHex(40, 'test', group, spec, ...title);

const buildSuiteGroup = ({ project }: PlannedRun, name: string, specs: Specs) => ({
  name,
  tags: name === 'firefox' ? ['second-browser'] : [],
  environment: project === 'shop' ? 'staging' : 'ci',
  tests: specs.flatMap(([spec, tests]) =>
    tests.map((test) => ({ testId: makeStoryTestId(name, test), spec, title: test.title, tags: test.tags })),
  ),
});

function buildMachines(run: PlannedRun, group: string, specs: Specs): StoryMachine[] {
  const count = group === 'firefox' ? 1 : MACHINES[run.project];
  return Array.from({ length: count }, (_, index) => {
    const startsAt =
      run.createdAt + SETUP_MILLISECONDS[run.project] * (1 + drawFraction('setup', run.ciBuildId, group, index));
    let at = Math.round(startsAt);
    const ownSpecs = specs.filter((_spec, place) => place % count === index);
    const instances = ownSpecs.map(([spec, tests]): StoryInstance => {
      const sentTests = tests.map((test) => {
        const result = buildTestResult(run, group, test, { startedAt: at, worker: index });
        at = findLastAttemptEnd(result.attempts) + PAUSE_MILLISECONDS;
        return result;
      });
      return { groupId: group, spec, artifacts: [], results: { tests: sentTests } };
    });
    return { machineId: `${run.ciBuildId}-${group}-${index + 1}`, group, endsAt: at, instances };
  });
}

const PAUSE_MILLISECONDS = 60;

function buildTestResult(
  run: PlannedRun,
  group: string,
  test: StoryTest,
  { startedAt, worker }: { readonly startedAt: number; readonly worker: number },
): SentTest {
  const happening = decideHappening(run, group, test);
  const { kind } = happening;
  const when = {
    startedAt,
    duration: computeTestDuration(run, group, test),
    retries: RETRIES[run.project],
    worker,
    hasFiles: run.day <= FILES_DAYS,
  };
  return {
    testId: makeStoryTestId(group, test),
    title: test.title,
    state: kind === 'flaky' ? 'passed' : kind,
    isFlaky: kind === 'flaky',
    expectedStatus: kind === 'pending' ? 'skipped' : 'passed',
    tags: test.tags,
    annotations: kind === 'pending' ? [{ type: 'skip', description: happening.reason }] : [],
    attempts: buildAttempts(happening, when),
  };
}

/** Results are missing on every machine of the cancelled run, and on one machine of the run that timed out. */
function dropUnrunSpecs({ special }: PlannedRun, machines: readonly StoryMachine[]): StoryMachine[] {
  const countKept = (index: number): number | undefined => {
    if (special === 'cancelled') return 2;
    return special === 'timed out' && index === 1 ? 1 : undefined;
  };
  return machines.map((machine, index) => {
    const instances = machine.instances.slice(0, countKept(index));
    const attempts = instances.flatMap(({ results }) => results.tests.flatMap((test) => test.attempts));
    return { ...machine, instances, endsAt: findLastAttemptEnd(attempts) + PAUSE_MILLISECONDS };
  });
}

const BROKEN_TEARDOWN = `Error: the carrier's test server did not stop within 10 s
    at stopCarrier (/builds/warehouse/test/global-setup.ts:41:11)
    at teardown (/builds/warehouse/test/global-setup.ts:52:3)`;

// The tests of the two projects: test titles by spec file. `@` starts a tag.

type Suite = Readonly<Record<string, readonly string[]>>;

/** The first four files are those of the sample suite, so `npm run demo` continues their history. */
const SHOP: Suite = {
  'cart.spec.ts': [
    'cart › sums equal articles',
    'cart › refuses a line without pieces',
    'cart › reserves the last piece in stock @stock',
    'cart › keeps its articles after signing in',
    'cart › removes an article',
    'cart › shows the delivery date',
  ],
  'pricing.spec.ts': [
    'pricing › adds the tax of the market @smoke @money @tax',
    'pricing › shows net prices to traders',
    'pricing › discounts › by quantity › leaves nineteen pieces at the list price',
    'pricing › discounts › by quantity › never sells below the cost price @money',
    'pricing › discounts › stacks a voucher on a discount',
    'pricing › discounts › converts a discount to a second currency',
  ],
  'price-import.spec.ts': [
    'price import › reads every article',
    'price import › reads prices in cents',
    'an empty price list is accepted',
  ],
  'checkout/payment.spec.ts': [
    'payment › accepts a well-formed card number @smoke',
    'payment › hears from the bank in time',
    'payment › shows why the bank declined a card',
    'payment › pays with an invoice',
    'order › opens @order',
    'order › is authorized by the card @order',
    'order › is paid @order',
    'order › sends a receipt @order',
  ],
  'checkout/voucher.spec.ts': [
    'voucher › lowers the total @money',
    'voucher › is refused after its last day',
    'voucher › is used once',
    'voucher › cannot be combined with a sale',
    'voucher › shows the remaining amount @money',
  ],
  'checkout/shipping.spec.ts': [
    'shipping › offers to pick up at a shop',
    'shipping › adds the costs of an island @money',
    'shipping › rejects an unknown postal code',
    'shipping › remembers the last address',
    'shipping › splits an order by warehouse @stock',
    'shipping › estimates the arrival',
  ],
  'search.spec.ts': [
    'search › finds articles while typing @smoke',
    'search › tolerates a misspelled word',
    'search › filters by colour',
    'search › sorts by price',
    'search › says that nothing was found',
    'search › keeps the filter on the next page',
  ],
  'catalogue.spec.ts': [
    'catalogue › lists the articles of a category @smoke',
    'catalogue › shows the stock of each shop @stock',
    'catalogue › loads more articles while scrolling',
    'catalogue › hides discontinued articles',
    'catalogue › shows the price per kilogram',
  ],
  'article.spec.ts': [
    'article › zooms into a picture',
    'article › switches the colour',
    'article › shows reviews',
    'article › offers a notice for a missing size',
    'article › suggests similar articles',
  ],
  'account/sign-in.spec.ts': [
    'sign-in › accepts a one-time code @smoke',
    'sign-in › refuses an expired code',
    'sign-in › locks an account after ten attempts',
    'sign-in › leads back to the cart',
  ],
  'account/orders.spec.ts': [
    'orders › lists the latest orders @order',
    'orders › downloads an invoice',
    'orders › returns one article of an order @order',
    'orders › follows a parcel',
  ],
  'account/addresses.spec.ts': [
    'addresses › adds an address',
    'addresses › chooses a default address',
    'addresses › deletes an address',
  ],
  'newsletter.spec.ts': ['newsletter › subscribes with a confirmation', 'newsletter › unsubscribes with one click'],
  'accessibility.spec.ts': [
    'accessibility › the home page has no violations',
    'accessibility › the checkout has no violations',
    'accessibility › the cart works by keyboard',
    'accessibility › the focus returns after a dialog',
  ],
  'language.spec.ts': [
    'language › follows the browser',
    'language › formats prices of the market',
    'language › translates error messages',
  ],
};

const GIFT_CARDS: Suite = {
  'checkout/gift-cards.spec.ts': [
    'gift cards › sells a card of any amount @money',
    'gift cards › redeems a card at the checkout @money',
    'gift cards › shows the balance',
    'gift cards › refuses a used card',
  ],
};

const WAREHOUSE: Suite = {
  'test/stock/reservation.test.ts': [
    'reservation › takes pieces out of the free stock',
    'reservation › ends after fifteen minutes',
    'reservation › is refused for more pieces than there are',
    'reservation › of one order is made once',
    'reservation › survives a restart',
    'reservation › can be released',
  ],
  'test/stock/count.test.ts': [
    'count › adds deliveries',
    'count › subtracts parcels',
    'count › counts reserved pieces once',
    'count › never becomes negative',
    'count › reports differences of an inventory',
  ],
  'test/picking/route.test.ts': [
    'route › visits each shelf once',
    'route › begins at the dock',
    'route › avoids a closed aisle',
    'route › puts heavy articles first',
    'route › is empty without orders',
    'route › takes less than a second for 500 shelves',
  ],
  'test/picking/batch.test.ts': [
    'batch › joins orders of one aisle',
    'batch › holds at most twelve orders',
    'batch › keeps express orders apart',
    'batch › splits an order that is too heavy',
    'batch › closes at the end of a shift',
  ],
  'test/parcels/label.test.ts': [
    'label › prints the address',
    'label › contains a barcode',
    'label › shortens long names',
    'label › marks fragile articles',
    'label › is printed again on request',
    'label › follows the format of the carrier',
  ],
  'test/parcels/weight.test.ts': [
    'weight › sums articles and box',
    'weight › chooses the smallest box',
    'weight › refuses more than 30 kilograms',
    'weight › rounds up to full grams',
  ],
  'test/suppliers/order.test.ts': [
    'supplier order › is proposed below the minimum stock',
    'supplier order › respects the package size',
    'supplier order › waits for an approval',
    'supplier order › is sent once',
    'supplier order › can be delivered in parts',
  ],
  'test/api/health.test.ts': ['health › answers', 'health › names its version', 'health › reports a lost database'],
  'test/api/orders.test.ts': [
    'orders › accepts an order',
    'orders › refuses an order without an address',
    'orders › lists open orders',
    'orders › pages through many orders',
    'orders › cancels an order before it is picked',
    'orders › announces a parcel',
  ],
};

const SUITES = { shop: SHOP, warehouse: WAREHOUSE, giftCards: GIFT_CARDS } as const;
