/** Error messages of many test frameworks, with their expected classification. */
import type { ErrorCategory } from '#shared/errors/parsed-error.ts';

/** The expected category, action, target and normalized message. */
type Expected = readonly [category: ErrorCategory, action: string | null, target: string | null, message: string];
export type Example = readonly [text: string, expected: Expected];

const CALL_LOG = 'Call log:\n';

const PLAYWRIGHT_ASSERTIONS: readonly Example[] = [
  [
    "Error: expect(locator).toBeVisible() failed\n\nLocator: getByTestId('order-header')\nExpected: visible\nTimeout: 5000ms",
    ['Async Assertion', 'toBeVisible', "getByTestId('order-header')", 'expect(locator).toBeVisible() failed'],
  ],
  [
    'Error: Timed out 15000ms waiting for expect(locator).toHaveText(expected)\n\nLocator: locator(\'#total-83412\')\nExpected string: "5"',
    [
      'Async Assertion',
      'toHaveText',
      "locator('#total-<n>')",
      'Timed out <n>ms waiting for expect(locator).toHaveText(expected)',
    ],
  ],
  [
    "Error: expect(locator).not.toBeVisible() failed\n\nLocator:  getByRole('dialog')\nExpected: not visible",
    ['Async Assertion', 'not.toBeVisible', "getByRole('dialog')", 'expect(locator).not.toBeVisible() failed'],
  ],
  [
    'Error: expect(received).toBe(expected) // Object.is equality\n\nExpected: 4\nReceived: 3',
    ['Assertion', 'toBe', null, 'expect(received).toBe(expected) // Object.is equality'],
  ],
  [
    'Error: expect(page).toHaveURL(expected) failed\n\nExpected: "http://localhost:3000/#/dashboard"\nReceived: "http://localhost:3000/#/login"\nTimeout: 5000ms',
    ['Async Assertion', 'toHaveURL', 'http://localhost:3000/#/dashboard', 'expect(page).toHaveURL(expected) failed'],
  ],
  [
    'Error: expect(page).toHaveScreenshot(expected) failed\n\n  120 pixels are different.\n\n  Snapshot: home.png',
    ['Async Assertion', 'toHaveScreenshot', 'home.png', 'expect(page).toHaveScreenshot(expected) failed'],
  ],
];

const PLAYWRIGHT_ACTIONS: readonly Example[] = [
  [
    `TimeoutError: locator.click: Timeout 30000ms exceeded.\n${CALL_LOG}  - waiting for getByRole('button', { name: 'Pay now' })\n`,
    ['Action', 'click', "getByRole('button', { name: 'Pay now' })", 'locator.click: Timeout <n>ms exceeded.'],
  ],
  [
    "Error: locator.click: Error: strict mode violation: getByText('Save') resolved to 2 elements:\n    1) <p>Save</p>\n",
    [
      'Action',
      'click',
      "getByText('Save')",
      'locator.click: Error: strict mode violation: getByText(<text>) resolved to <n> elements:',
    ],
  ],
  [
    `TimeoutError: page.waitForURL: Timeout 15000ms exceeded.\n=========================== logs ===========================\nwaiting for navigation to "**/orders/*" until "load"\n`,
    ['Action', 'waitForURL', '**/orders/*', 'page.waitForURL: Timeout <n>ms exceeded.'],
  ],
  [
    `Error: page.goto: net::ERR_CONNECTION_REFUSED at http://localhost:3000/cart?id=7\n${CALL_LOG}  - navigating to "http://localhost:3000/cart?id=7", waiting until "load"`,
    ['Action', 'goto', 'http://localhost:3000/cart', 'page.goto: net::ERR_CONNECTION_REFUSED at <url>'],
  ],
  [
    `Error: apiRequestContext.get: connect ECONNREFUSED ::1:3000\n${CALL_LOG}  - → GET http://localhost:3000/api/orders/123456\n    - user-agent: x`,
    ['Action', 'get', 'http://localhost:3000/api/orders/<n>', 'apiRequestContext.get: connect ECONNREFUSED ::<n>:<n>'],
  ],
  [
    "Error: browserType.launch: Executable doesn't exist at /ms-playwright/chromium-1187/chrome\n╔═════╗",
    ['Infra / Misc', 'launch', null, "browserType.launch: Executable doesn't exist at <path>"],
  ],
  [
    `playwright._impl._errors.TimeoutError: Locator.click: Timeout 30000ms exceeded.\n${CALL_LOG}  - waiting for get_by_role("button", name="Pay")`,
    ['Action', 'click', 'get_by_role("button", name="Pay")', 'Locator.click: Timeout <n>ms exceeded.'],
  ],
  [
    `AssertionError: Locator expected to be visible\nActual value: None\n${CALL_LOG}  - Expect "to_be_visible" with timeout 5000ms\n  - waiting for locator("#receipt")`,
    ['Async Assertion', 'toBeVisible', 'locator("#receipt")', 'Locator expected to be visible'],
  ],
];

const TIMEOUTS: readonly Example[] = [
  ['\u001b[31mTest timeout of 30000ms exceeded.\u001b[39m', ['Timeout', null, null, 'Test timeout of <n>ms exceeded.']],
  [
    'Test timeout of 30000ms exceeded while running "beforeEach" hook.',
    ['Timeout', 'beforeEach', null, 'Test timeout of <n>ms exceeded while running <text> hook.'],
  ],
  [
    'Fixture "database" timeout of 60000ms exceeded during setup.',
    ['Timeout', null, 'database', 'Fixture <text> timeout of <n>ms exceeded during setup.'],
  ],
  [
    'thrown: "Exceeded timeout of 5000 ms for a test.\nAdd a timeout value to this test to increase the timeout, if this is a long-running test."',
    ['Timeout', null, null, '"Exceeded timeout of <n> ms for a test.'],
  ],
  ['Failed: Timeout >10.0s', ['Timeout', null, null, 'Timeout ><n>s']],
];

const JAVASCRIPT: readonly Example[] = [
  [
    'expect(jest.fn()).toHaveBeenCalledWith(...expected)\n\nExpected: 1\nReceived: 2\n\nNumber of calls: 1',
    ['Assertion', 'toHaveBeenCalledWith', null, 'expect(jest.fn()).toHaveBeenCalledWith(...expected)'],
  ],
  [
    "Cannot find module './prices' from 'src/cart.test.ts'",
    ['Infra / Misc', null, null, 'Cannot find module <text> from <text>'],
  ],
  [
    'TestingLibraryElementError: Unable to find an accessible element with the role "button" and name "Save"\n\nHere are the accessible roles:',
    [
      'Assertion',
      'find',
      'role "button" and name "Save"',
      'Unable to find an accessible element with the role <text> and name <text>',
    ],
  ],
  [
    'AssertionError: expected 3 to be 4 // Object.is equality',
    ['Assertion', 'be', null, 'expected <n> to be <n> // Object.is equality'],
  ],
  ['Error: Request failed with status code 503', ['Infra / Misc', null, null, 'Request failed with status code 503']],
  [
    'Error: Card ending in 1486 was refused for order A-1001',
    ['Infra / Misc', null, null, 'Card ending in <n> was refused for order A-<n>'],
  ],
];

const CYPRESS: readonly Example[] = [
  [
    'AssertionError: Timed out retrying after 4000ms: Expected to find element: `.submit`, but never found it.',
    [
      'Async Assertion',
      'find',
      '.submit',
      'Timed out retrying after <n>ms: Expected to find element: <text>, but never found it.',
    ],
  ],
  [
    "AssertionError: Timed out retrying after 4000ms: expected '<div.total>' to have text '€10', but the text was '€12'",
    [
      'Async Assertion',
      'have text',
      '<div.total>',
      'Timed out retrying after <n>ms: expected <text> to have text <text>, but the text was <text>',
    ],
  ],
  [
    'CypressError: Timed out retrying after 4050ms: `cy.click()` failed because this element is being covered by another element:\n\n`<div class="overlay"></div>`\n',
    [
      'Action',
      'click',
      '<div class="overlay"></div>',
      'Timed out retrying after <n>ms: <text> failed because this element is being covered by another element:',
    ],
  ],
  [
    'CypressError: Timed out retrying after 5000ms: `cy.wait()` timed out waiting `5000ms` for the 1st request to the route: `getUsers`. No request ever occurred.',
    [
      'Action',
      'wait',
      'getUsers',
      'Timed out retrying after <n>ms: <text> timed out waiting <text> for the <n>st request to the route: <text>. No request ever occurred.',
    ],
  ],
];

const PYTHON: readonly Example[] = [
  ['assert 3 == 4', ['Assertion', '==', null, 'assert <n> == <n>']],
  ["AssertionError: assert 'paid' in ['open', 'void']", ['Assertion', 'in', null, 'assert <text> in [<text>, <text>]']],
  [
    "requests.exceptions.ConnectionError: HTTPConnectionPool(host='localhost', port=8000): Max retries exceeded with url: /api/orders (Caused by NewConnectionError('x'))",
    [
      'Infra / Misc',
      null,
      '/api/orders',
      'HTTPConnectionPool(host=<text>, port=<n>): Max retries exceeded with url: <path> (Caused by NewConnectionError(<text>))',
    ],
  ],
];

export const EXAMPLES: readonly Example[] = [
  ...PLAYWRIGHT_ASSERTIONS,
  ...PLAYWRIGHT_ACTIONS,
  ...TIMEOUTS,
  ...JAVASCRIPT,
  ...CYPRESS,
  ...PYTHON,
];
