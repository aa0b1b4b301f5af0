# The case grid: numbers of classic data sets (read from metadat, not copied) and invented ones, each
# of which breaks some implementation. Nothing random: the same on any machine.

classic_tables <- function(id, data, ai, n1i, ci, n2i, measure) {
  tables <- data.frame(ai = ai, n1i = n1i, ci = ci, n2i = n2i)
  tables <- tables[stats::complete.cases(tables), ]
  tables_case(id, tables, measure)
}

tables_case <- function(id, tables, measure) {
  made <- metafor::escalc(measure = measure, ai = ai, n1i = n1i, ci = ci, n2i = n2i, data = tables,
                          add = 1/2, to = "only0", drop00 = FALSE)
  list(id = id, measure = measure, tables = as.list(tables), yi = c(made$yi), vi = c(made$vi))
}

means_case <- function(id, data, measure) {
  means <- data[c("m1i", "sd1i", "n1i", "m2i", "sd2i", "n2i")]
  means <- means[stats::complete.cases(means), ]
  made <- do.call(metafor::escalc, c(as.list(means), measure = measure))
  list(id = id, measure = measure, means = as.list(means), yi = c(made$yi), vi = c(made$vi))
}

plain_case <- function(id, measure, yi, vi) list(id = id, measure = measure, yi = c(yi), vi = c(vi))

counts <- function(ai, n1i, ci, n2i) data.frame(ai = ai, n1i = n1i, ci = ci, n2i = n2i)

# Spread evenly over (0, 1) in an order that looks random and is the same everywhere.
scatter <- function(n, start = 0) ((seq_len(n) + start) * 0.6180339887498949) %% 1

metadat_cases <- function() {
  d <- new.env()
  data(list = c("dat.bcg", "dat.hine1989", "dat.normand1999", "dat.li2007", "dat.yusuf1985", "dat.hackshaw1998",
                "dat.egger2001", "dat.cannon2006", "dat.raudenbush1985", "dat.nielweise2007", "dat.gibson2002",
                "dat.linde2005", "dat.collins1985b"),
       package = "metadat", envir = d)
  bcg <- d$dat.bcg
  six <- d$dat.yusuf1985[d$dat.yusuf1985$table == "6", ]
  cannon <- d$dat.cannon2006
  hine <- d$dat.hine1989
  stroke <- d$dat.normand1999
  egger <- d$dat.egger2001
  li <- d$dat.li2007
  bacterial <- d$dat.nielweise2007
  wort <- d$dat.linde2005
  collins <- d$dat.collins1985b
  list(
    classic_tables("bcg_rr", bcg, bcg$tpos, bcg$tpos + bcg$tneg, bcg$cpos, bcg$cpos + bcg$cneg, "RR"),
    classic_tables("bcg_or", bcg, bcg$tpos, bcg$tpos + bcg$tneg, bcg$cpos, bcg$cpos + bcg$cneg, "OR"),
    classic_tables("hine1989_rd", hine, hine$ai, hine$n1i, hine$ci, hine$n2i, "RD"),
    means_case("normand1999_md", stroke, "MD"),
    means_case("normand1999_smd", stroke, "SMD"),
    classic_tables("li2007_or", li, li$ai, li$n1i, li$ci, li$n2i, "OR"),
    classic_tables("yusuf1985_or", six, six$ai, six$n1i, six$ci, six$n2i, "OR"),
    plain_case("hackshaw1998_or", "OR", d$dat.hackshaw1998$yi, d$dat.hackshaw1998$vi),
    classic_tables("egger2001_or", egger, egger$ai, egger$n1i, egger$ci, egger$n2i, "OR"),
    classic_tables("cannon2006_or", cannon, cannon$ep1t, cannon$nt, cannon$ep1c, cannon$nc, "OR"),
    plain_case("raudenbush1985_smd", "SMD", d$dat.raudenbush1985$yi, d$dat.raudenbush1985$vi),
    classic_tables("nielweise2007_or", bacterial, bacterial$ai, bacterial$n1i, bacterial$ci, bacterial$n2i, "OR"),
    classic_tables("linde2005_rr", wort, wort$ai, wort$n1i, wort$ci, wort$n2i, "RR"),
    means_case("gibson2002_smd", d$dat.gibson2002, "SMD"),
    classic_tables("collins1985_or", collins, collins$pre.xti, collins$pre.nti, collins$pre.xci, collins$pre.nci, "OR"))
}

invented_cases <- function() {
  v8 <- 0.02 + 0.06 * scatter(8)
  v12 <- 0.01 + 0.05 * scatter(12)
  v30 <- 0.005 * (seq_len(30))^1.5
  homogeneous <- c(0.11, 0.09, 0.10, 0.12, 0.08, 0.10)
  clusters <- c(rep(-0.6, 6), rep(0.02, 6)) + 0.06 * (scatter(12) - 0.5)
  outlier <- -0.3 + 0.2 * (scatter(8) - 0.5)
  list(
    plain_case("k1", "OR", -0.4, 0.04),
    plain_case("k1_null", "OR", 0, 0.04),
    plain_case("k2_conflict", "OR", c(-0.7, 0.7), c(0.04, 0.05)),
    plain_case("k2_identical", "OR", c(-0.35, -0.35), c(0.04, 0.09)),
    plain_case("k2_variance_ratio_5000", "OR", c(-0.2, 0.9), c(0.0001, 0.5)),
    plain_case("k3_dominated", "OR", c(-0.1, 0.6, 0.9), c(1e-6, 1, 1)),
    plain_case("k3_dominated_small_spread", "OR", c(-0.1, -0.1004, -0.098), c(1e-6, 1, 1.5)),
    plain_case("variance_ratio_1e8", "OR", c(0.1, 0.4, -0.2, 0.6, 0.15), c(1e-6, 1, 10, 100, 0.5)),
    plain_case("identical", "MD", rep(0.3, 5), c(0.01, 0.02, 0.03, 0.04, 0.05)),
    plain_case("q_below_df", "SMD", homogeneous, rep(0.03, 6) + 0.01 * scatter(6)),
    plain_case("q_just_above_df", "OR", 0.245 * c(-1, 1, -1, 1, -1, 1), rep(0.05, 6) + 0.001 * scatter(6)),
    plain_case("equal_variances", "MD", c(0.2, -0.1, 0.5, 0.9, 0.3, 0.1, 0.6), rep(0.04, 7)),
    plain_case("offset_1e6", "MD", 1e6 + c(0.1, 1.4, -0.8, 2.2, 0.7, -0.3), c(0.2, 0.3, 0.25, 0.4, 0.15, 0.35)),
    plain_case("one_gross_outlier", "HR", replace(outlier, 3, 2.4), v8),
    plain_case("two_masked_outliers", "HR", replace(outlier, c(2, 6), c(1.5, 1.7)), v8 / 2),
    plain_case("two_clusters", "RR", clusters, v12 / 2),
    plain_case("sign_split", "OR", c(rep(-0.65, 4), rep(0.65, 4)) + 0.1 * (scatter(8) - 0.5), v8 / 2),
    plain_case("small_study_effects_30", "OR", -0.1 - 1.2 * sqrt(v30) + 0.5 * sqrt(v30) * (scatter(30) - 0.5) * 3, v30),
    plain_case("k100", "OR", -0.2 + 0.8 * (scatter(100) - 0.5), 0.01 + 0.2 * scatter(100, start = 37)),
    tables_case("one_zero_arm", counts(c(0, 4, 6, 2), c(50, 60, 80, 40), c(3, 9, 12, 5), c(50, 62, 78, 41)), "OR"),
    tables_case("double_zero", counts(c(0, 4, 0, 2), c(50, 60, 80, 40), c(0, 9, 4, 5), c(48, 62, 78, 41)), "OR"),
    tables_case("all_events", counts(c(20, 14, 16), c(20, 20, 20), c(15, 11, 18), c(20, 22, 19)), "RR"),
    tables_case("zero_on_rd", counts(c(0, 1, 0, 3), c(120, 100, 90, 150), c(2, 4, 0, 6), c(118, 104, 92, 149)), "RD"))
}

CASES <- c(metadat_cases(), invented_cases())
