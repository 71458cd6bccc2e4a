/** The failures of the demo in a real browser. Each test makes one trace of the story. */
import { createServer, type Server } from 'node:http';
import { expect, type Page, test } from '@playwright/test';

test.use({
  viewport: { width: 960, height: 640 },
  trace: { mode: 'on', screenshots: true, snapshots: true, sources: false, attachments: false },
  launchOptions: { executablePath: process.env['CHROMIUM'] ?? '', args: ['--no-sandbox', '--disable-gpu'] },
});

const STYLE = `
  * { box-sizing: border-box } body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: #1d2433; background: #f4f5f8 }
  header { background: #22577a; color: #fff; padding: 14px 32px; display: flex; justify-content: space-between }
  main { max-width: 720px; margin: 28px auto; background: #fff; padding: 24px 32px; border-radius: 10px; box-shadow: 0 1px 4px #0002 }
  label { display: block; margin: 12px 0 4px } input { font: inherit; padding: 8px 10px; border: 1px solid #a9b1c3; border-radius: 6px; width: 100% }
  button { font: inherit; margin-top: 18px; padding: 10px 22px; border: 0; border-radius: 6px; background: #38a3a5; color: #fff }
  [role=alert] { background: #fde8e8; color: #8c1c13; padding: 10px 14px; border-radius: 6px } table { width: 100%; border-collapse: collapse }
  td { padding: 6px 0; border-bottom: 1px solid #e5e8ef } td:last-child { text-align: right }`;

const page = (
  title: string,
  body: string,
  script = '',
): string => `<!doctype html><html lang="en"><meta charset="utf-8">
  <title>${title}</title><link rel="icon" href="data:,"><style>${STYLE}</style>
  <header><strong>Shop</strong><span>3 articles in the cart</span></header><main><h1>${title}</h1>${body}</main><script>${script}</script>`;

const ORDER =
  '<table><tr><td>2 mugs<td>19.00<tr><td>1 plate<td>12.50<tr><td>Shipping<td>4.90<tr><td><b>Total</b><td><b data-testid="total">36.40</b></table>';

const PAGES: Readonly<Record<string, string>> = {
  '/checkout': page(
    'Pay by card',
    `${ORDER}<p role="alert" hidden></p><label>Card number <input name="card"></label><button>Pay</button>`,
    `document.querySelector('button').onclick = async () => {
       const answer = await fetch('/payments', { method: 'POST', body: '{}' });
       const { reason } = await answer.json();
       console.error('payment failed: ' + reason);
       const alert = document.querySelector('[role=alert]');
       alert.textContent = 'Something went wrong.'; alert.hidden = false; };`,
  ),
  '/offers/plate': page(
    'Plate, white',
    '<p>From 20 pieces: 5.5 % off</p><label>Pieces <input name="pieces"></label><p>Your price: <b data-testid="price">20.00</b></p>',
    `document.querySelector('input').oninput = ({ target }) => { console.info('discount rounded per article');
       document.querySelector('[data-testid=price]').textContent = (target.value * 0.945).toFixed(2); };`,
  ),
  '/articles/mug': page(
    'Mug, blue',
    '<p>9.50 · one piece left</p><p>State: <b data-testid="state">free</b></p><button>Reserve</button>',
    `document.querySelector('button').onclick = async () => { const answer = await fetch('/reservations', { method: 'POST' });
       if (!answer.ok) console.warn('the warehouse is busy');
       document.querySelector('[data-testid=state]').textContent = (await answer.json()).state; };`,
  ),
  '/articles/mug/zoom': page(
    'Mug, blue',
    `<svg viewBox="0 0 400 220" width="640" height="352"><rect width="400" height="220" rx="8" fill="#e8f0f2"/>
      <path d="M120 50h130v110a24 24 0 0 1-24 24h-82a24 24 0 0 1-24-24z" fill="#22577a"/><path d="M250 74h22a26 26 0 0 1 0 72h-22" fill="none" stroke="#22577a" stroke-width="14"/>
      <text x="24" y="36" font-size="18" fill="#1d2433">9.50</text>${process.env['GIFT_CARDS'] === 'no' ? '' : '<rect x="252" y="12" width="136" height="40" rx="6" fill="#38a3a5"/><text x="264" y="38" font-size="17" fill="#fff">Give as a card</text>'}
    </svg>`,
  ),
  '/voucher': page(
    'Use a voucher',
    `${ORDER}<label>Code <input name="code"></label><p role="alert">The bank cannot be reached. Try again later.</p>`,
    `fetch('/sessions', { method: 'POST' }).then(({ status }) => console.error('no session with the bank: ' + status));`,
  ),
};

const ANSWERS: Readonly<Record<string, readonly [number, object]>> = {
  '/payments': [402, { reason: 'limit_reached' }],
  '/reservations': [503, { state: 'busy' }],
  '/sessions': [502, { reason: 'ECONNREFUSED 10.20.4.17:8443' }],
};

let server: Server;
let origin = '';

test.beforeAll(async () => {
  server = createServer(({ url = '' }, response) => {
    const [status, body] = ANSWERS[url] ?? [200, undefined];
    if (body) return response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    return response.writeHead(200, { 'content-type': 'text/html' }).end(PAGES[url] ?? '');
  });
  await new Promise<void>((resolve) => server.listen(4173, '127.0.0.1', resolve));
  origin = 'http://localhost:4173';
});

test.afterAll(() => new Promise((resolve) => server.close(resolve)));

const open = (browser: Page, path: string) => browser.goto(origin + path);

test('card declined', async ({ page: shop }) => {
  await open(shop, '/checkout');
  await shop.getByLabel('Card number').fill('4000 0000 0000 0002');
  await shop.getByRole('button', { name: 'Pay' }).click();
  await expect(shop.getByRole('alert')).toHaveText('The bank declined this card: its limit is reached.', {
    timeout: 700,
  });
});

test('price below cost', async ({ page: shop }) => {
  await open(shop, '/offers/plate');
  await shop.getByLabel('Pieces').fill('20');
  expect(Number(await shop.getByTestId('price').textContent())).toBeGreaterThanOrEqual(19);
});

test('last piece', async ({ page: shop }) => {
  await open(shop, '/articles/mug');
  await shop.getByRole('button', { name: 'Reserve' }).click();
  await expect(shop.getByTestId('state')).toHaveText('reserved', { timeout: 700 });
});

test('bank is down', async ({ page: shop }) => {
  await open(shop, '/voucher');
  await expect(shop.getByRole('alert')).toBeHidden({ timeout: 700 });
});

test('picture differs', async ({ page: shop }, info) => {
  const frame = async (name: string) => shop.screenshot({ path: info.outputPath(`frame-${name}.png`) });
  await open(shop, '/articles/mug');
  await frame('0');
  await open(shop, '/articles/mug/zoom');
  await frame('1');
  await expect(shop.locator('svg')).toHaveScreenshot('zoomed.png', { timeout: 1000 });
});
