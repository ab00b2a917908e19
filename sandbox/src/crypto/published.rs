//! Keys from published primes.

use rsa::{BigUint, RsaPrivateKey};

/// The public exponent (`AQAB`).
const EXPONENT: u32 = 65537;

/// Generating primes of 2048 bits takes up to seventeen seconds, so the choice selects two of the primes in `primes/`.
pub fn key(choice: u64, bits: usize) -> Result<RsaPrivateKey, String> {
    let primes = match bits {
        2048 => include_str!("primes/1024.txt"),
        3072 => include_str!("primes/1536.txt"),
        4096 => include_str!("primes/2048.txt"),
        _ => return Err(unsupported(bits)),
    };
    let primes: Vec<&str> = primes.lines().collect();
    let (first, second) = pair_of(choice, primes.len());
    let prime = |index: usize| BigUint::parse_bytes(primes[index].as_bytes(), 16).ok_or("a prime is damaged");
    RsaPrivateKey::from_p_q(prime(first)?, prime(second)?, BigUint::from(EXPONENT))
        .map_err(|error| format!("could not build the RSA key: {error}"))
}

pub fn unsupported(bits: usize) -> String {
    format!("--key-bits {bits}: choose 2048, 3072 or 4096")
}

/// Two different indices below `count`; consecutive choices give all pairs.
fn pair_of(choice: u64, count: usize) -> (usize, usize) {
    let pairs: Vec<(usize, usize)> =
        (0..count).flat_map(|first| (first + 1..count).map(move |second| (first, second))).collect();
    pairs[(choice % pairs.len() as u64) as usize]
}

#[cfg(test)]
mod tests {
    use super::*;
    use rsa::traits::PublicKeyParts;

    #[test]
    fn every_published_prime_makes_a_key_that_works() {
        use rsa::Pkcs1v15Encrypt;
        for bits in [2048, 3072, 4096] {
            // With 32 primes these choices pair the first prime with each of the others.
            for number in 0..31 {
                let key = key(number, bits).unwrap();
                assert_eq!(key.n().bits(), bits);
                key.validate().unwrap();
            }
            let key = key(495, bits).unwrap();
            let sealed = key.to_public_key().encrypt(&mut rsa::rand_core::OsRng, Pkcs1v15Encrypt, b"text").unwrap();
            assert_eq!(key.decrypt(Pkcs1v15Encrypt, &sealed).unwrap(), b"text");
        }
    }

    #[test]
    fn numbers_choose_different_pairs() {
        let pairs: std::collections::HashSet<_> = (0..496).map(|number| pair_of(number, 32)).collect();
        assert_eq!(pairs.len(), 496);
        assert_eq!(pair_of(496, 32), pair_of(0, 32));
    }
}
