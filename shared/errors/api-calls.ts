/** Calls of Playwright that failed, such as `locator.click: Timeout 30000ms exceeded.` */
import { addressIn, locatorIn } from './call-log.ts';
import { camelCase } from './expectations.ts';
import type { ErrorReader, ParsedError } from './parsed-error.ts';

const CALL = /^([A-Za-z]{1,40})\.([$_]{0,2}[A-Za-z]\w{0,60}): /;
const OF_A_TEST: ReadonlySet<string> = new Set([
  'page',
  'locator',
  'frame',
  'frameLocator',
  'elementHandle',
  'jsHandle',
  'keyboard',
  'mouse',
  'touchscreen',
  'aPIRequestContext',
  'apiRequestContext',
  'aPIResponse',
  'apiResponse',
  'request',
  'response',
  'route',
  'dialog',
  'download',
  'fileChooser',
  'worker',
  'webSocket',
  'clock',
]);
const OF_THE_BROWSER: ReadonlySet<string> = new Set([
  'browserType',
  'browser',
  'browserContext',
  'browserServer',
  'playwright',
  'tracing',
  'video',
  'selectors',
  'electron',
  'electronApplication',
  'android',
  'androidDevice',
  'cDPSession',
  'cdpSession',
]);
const URL = /\bhttps?:\/\/[^\s'"`<>)]{1,2048}/i;
const SELECTOR = /(?:matching|css) selector "([^"]{1,2048})"/;
const EVENT = /while waiting for event "([^"]{1,200})"/;

export const apiCall: ErrorReader = ({ headline, lines }: ParsedError) => {
  const [, name = '', called = ''] = CALL.exec(headline) ?? [];
  const receiver = name.charAt(0).toLowerCase() + name.slice(1);
  const action = camelCase(called);
  if (!OF_A_TEST.has(receiver) && !OF_THE_BROWSER.has(receiver)) return undefined;
  const isOfTest = OF_A_TEST.has(receiver) || action.startsWith('waitFor');
  const waited = locatorIn(lines) ?? addressIn(lines) ?? URL.exec(headline)?.[0];
  const target = waited ?? (SELECTOR.exec(headline) ?? EVENT.exec(headline))?.[1] ?? null;
  return { category: isOfTest ? 'Action' : 'Infra / Misc', action, target };
};
