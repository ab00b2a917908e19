//! Times: `YYYY-MM-DD[T ]HH:MM:SS[.f{1,9}][Z|z|±HH:MM]`, UTC where there is no zone.

struct Time<'a> {
    year: i64,
    month: i64,
    day: i64,
    seconds_of_day: i64,
    fraction: &'a str,
    offset_minutes: i64,
}

/// The service's way to say that there is no time, whatever its zone.
pub fn is_none(text: &str) -> bool {
    parse(text).is_some_and(|time| {
        let date = (time.year, time.month, time.day, time.seconds_of_day);
        date == (1, 1, 1, 0) && time.fraction.bytes().all(|digit| digit == b'0')
    })
}

/// With six digits of the second, further ones cut off.
pub fn in_utc(text: &str) -> Option<String> {
    let time = parse(text).filter(|time| (1900..=9998).contains(&time.year))?;
    let days = days_before(time.year, time.month) + time.day - 1;
    let seconds = days * 86_400 + time.seconds_of_day - time.offset_minutes * 60;
    let (mut days, clock) = (seconds.div_euclid(86_400), seconds.rem_euclid(86_400));
    // One step at a time: slow, and plain to see.
    let (mut year, mut month) = (time.year - 1, 1);
    days -= days_before(year, 1);
    while days >= days_of_year(year) {
        days -= days_of_year(year);
        year += 1;
    }
    while days >= days_of_month(year, month) {
        days -= days_of_month(year, month);
        month += 1;
    }
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    let fraction = format!("{:0<6.6}", time.fraction);
    Some(format!("{year:04}-{month:02}-{:02}T{hour:02}:{minute:02}:{second:02}.{fraction}Z", days + 1))
}

/// Its form, and a date and a clock that exist.
fn parse(text: &str) -> Option<Time<'_>> {
    let bytes = text.as_bytes();
    // All of it is ASCII, so that it can be cut anywhere.
    if !text.is_ascii() || bytes.len() < 19 || !matches!(bytes[10], b'T' | b' ') {
        return None;
    }
    let separators = [(4, b'-'), (7, b'-'), (13, b':'), (16, b':')];
    if separators.iter().any(|&(at, expected)| bytes[at] != expected) {
        return None;
    }
    let [year, month, day] = [&text[..4], &text[5..7], &text[8..10]].map(number);
    let [hour, minute, second] = [&text[11..13], &text[14..16], &text[17..19]].map(number);
    let (year, month, day) = (year?, month?, day?);
    let (hour, minute, second) = (hour?, minute?, second?);
    let (fraction, zone) = match text[19..].strip_prefix('.') {
        Some(rest) => rest.split_at(rest.bytes().take_while(u8::is_ascii_digit).count()),
        None => ("0", &text[19..]),
    };
    let exists = (1..=12).contains(&month) && (1..=days_of_month(year, month)).contains(&day);
    let runs = hour < 24 && minute < 60 && second < 60;
    if !exists || !runs || !(1..=9).contains(&fraction.len()) {
        return None;
    }
    let seconds_of_day = hour * 3600 + minute * 60 + second;
    Some(Time { year, month, day, seconds_of_day, fraction, offset_minutes: offset(zone)? })
}

fn offset(zone: &str) -> Option<i64> {
    if matches!(zone, "" | "Z" | "z") {
        return Some(0);
    }
    let sign = match zone.as_bytes()[0] {
        b'+' => 1,
        b'-' => -1,
        _ => return None,
    };
    let (hours, minutes) = zone[1..].split_once(':')?;
    if hours.len() != 2 || minutes.len() != 2 {
        return None;
    }
    let (hours, minutes) = (number(hours)?, number(minutes)?);
    (hours < 24 && minutes < 60).then_some(sign * (hours * 60 + minutes))
}

fn number(digits: &str) -> Option<i64> {
    digits.bytes().all(|byte| byte.is_ascii_digit()).then(|| digits.parse().unwrap())
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_year(year: i64) -> i64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: i64, month: i64) -> i64 {
    match month {
        2 => 28 + i64::from(is_leap(year)),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// The days from the beginning of the year 1 to that of a month.
fn days_before(year: i64, month: i64) -> i64 {
    let years: i64 = (1..year).map(days_of_year).sum();
    years + (1..month).map(|month| days_of_month(year, month)).sum::<i64>()
}
