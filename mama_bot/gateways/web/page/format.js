// Times, durations and figures as people read them.
import { language, t } from "/assets/words.js";

const clock = new Intl.DateTimeFormat(language, { hour: "numeric", minute: "2-digit" });
const day = new Intl.DateTimeFormat(language, { weekday: "long", day: "numeric", month: "long" });
const shortDay = new Intl.DateTimeFormat(language, { day: "numeric", month: "short" });
const count = new Intl.NumberFormat(language);

export const timeOfDay = (iso) => clock.format(new Date(iso));
export const number = (figure) => count.format(figure);

export function dayName(iso) {
  const date = new Date(iso);
  const days = Math.round((midnight(new Date()) - midnight(date)) / 86_400_000);
  if (days === 0) return t("today");
  if (days === 1) return t("yesterday");
  return day.format(date);
}

export function whenShort(iso) {
  const date = new Date(iso);
  return midnight(date) === midnight(new Date()) ? clock.format(date) : shortDay.format(date);
}

const midnight = (date) => new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();

export function duration(milliseconds) {
  const seconds = Math.max(0, milliseconds) / 1000;
  if (seconds < 1) return t("milliseconds", { n: Math.round(seconds * 1000) });
  if (seconds < 10) return t("seconds", { n: seconds.toFixed(1) });
  if (seconds < 60) return t("seconds", { n: Math.round(seconds) });
  return t("minutes", { m: Math.floor(seconds / 60), s: Math.floor(seconds % 60) });
}

export function elapsed(milliseconds) {
  const seconds = Math.floor(Math.max(0, milliseconds) / 1000);
  return seconds < 60 ? t("seconds", { n: seconds }) : t("minutes", { m: Math.floor(seconds / 60), s: seconds % 60 });
}

export const money = (dollars) => (dollars >= 0.01 ? `$${dollars.toFixed(2)}` : dollars > 0 ? "<\u00a0$0.01" : "");

export function fileSize(bytes) {
  if (bytes < 1024) return t("bytes", { n: number(bytes) });
  if (bytes < 1024 * 1024) return `${number(Math.round(bytes / 1024))} kB`;
  return `${new Intl.NumberFormat(language, { maximumFractionDigits: 1 }).format(bytes / 1024 / 1024)} MB`;
}

export const hasKorean = (text) => /[\u1100-\u11ff\u3130-\u318f\uac00-\ud7a3]/.test(text);
