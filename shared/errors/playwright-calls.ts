/** Recognizes failed calls of the Playwright API, such as `locator.click: Timeout 30000ms exceeded.` */
import { findAddress, findLocator } from './call-log.ts';
import { toCamelCase } from './expectations.ts';
import type { ErrorReader } from './parsed-error.ts';

const CALL = /^([A-Za-z]{1,40})\.([$_]{0,2}[A-Za-z]\w{0,60}): /;
/** The objects whose calls are actions of a test. */
const TEST_OBJECTS: ReadonlySet<string> = new Set([
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
/** The objects whose calls start and control the browser. */
const BROWSER_OBJECTS: ReadonlySet<string> = new Set([
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

export const recognizeApiCall: ErrorReader = ({ headline, lines }) => {
  const [, name = '', method = ''] = CALL.exec(headline) ?? [];
  const receiver = name.charAt(0).toLowerCase() + name.slice(1);
  const action = toCamelCase(method);
  if (!TEST_OBJECTS.has(receiver) && !BROWSER_OBJECTS.has(receiver)) return undefined;
  const isAction = TEST_OBJECTS.has(receiver) || action.startsWith('waitFor');
  const locatorOrUrl = findLocator(lines) ?? findAddress(lines) ?? URL.exec(headline)?.[0];
  const target = locatorOrUrl ?? SELECTOR.exec(headline)?.[1] ?? EVENT.exec(headline)?.[1] ?? null;
  return { category: isAction ? 'Action' : 'Infra / Misc', action, target };
};
